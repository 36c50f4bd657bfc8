"""The output models of an app's stages, by queue and stage."""

from collections.abc import Iterable, Mapping

from holdfast.pipeline.define import Pipeline, StagePlace
from holdfast.pipeline.output import OutputModel

Models = Mapping[str, OutputModel]
_NONE: Models = {}


class StageModels:
    """Created once by a worker; empty if no stage has a model."""

    __slots__ = ("_by_place",)

    def __init__(self, pipelines: Iterable[Pipeline] = ()) -> None:
        self._by_place: dict[StagePlace, Models] = {}
        for pipeline in pipelines:
            models = _models(pipeline)
            if models:
                self._by_place.update(dict.fromkeys(pipeline.places, models))

    def around(self, queue: str, stage: str | None) -> Models:
        """The models of a stage's pipeline, by stage."""
        if stage is None or not self._by_place:
            return _NONE
        return self._by_place.get(StagePlace(queue, stage), _NONE)

    def of(self, queue: str, stage: str | None) -> OutputModel | None:
        return None if stage is None else self.around(queue, stage).get(stage)


def _models(pipeline: Pipeline) -> dict[str, OutputModel]:
    return {
        stage.name: OutputModel(stage.name, stage.output)
        for stage in pipeline.stages
        if stage.output is not None
    }
