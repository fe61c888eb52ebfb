# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Serves people, articles and tags as JSON:API with atomic operations at /operations, with FastAPI-JSONAPI."""

from contextlib import asynccontextmanager
from typing import Annotated, ClassVar, Optional
from uuid import UUID
import socket

import uvicorn
from fastapi import Depends, FastAPI
from fastapi_jsonapi import ApplicationBuilder
from fastapi_jsonapi.misc.sqla.generics.base import ViewBaseGeneric
from fastapi_jsonapi.schema_base import BaseModel
from fastapi_jsonapi.types_metadata import ClientCanSetId, RelationshipInfo
from fastapi_jsonapi.views import Operation, OperationConfig
from pydantic import ConfigDict, Field
from sqlalchemy import Column, ForeignKey, Table
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.pool import StaticPool

import lifetime

# All sessions share the connection, to which the data in memory belong.
engine = create_async_engine("sqlite+aiosqlite:///:memory:", poolclass=StaticPool)
make_session = async_sessionmaker(bind=engine, expire_on_commit=False)


async def open_session():
    async with make_session() as session:
        yield session


class Base(DeclarativeBase):
    pass


article_tags = Table(
    "article_tags",
    Base.metadata,
    Column("article_id", ForeignKey("articles.id"), primary_key=True),
    Column("tag_id", ForeignKey("tags.id"), primary_key=True),
)


class Person(Base):
    __tablename__ = "people"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    name: Mapped[str]
    age: Mapped[Optional[int]]
    articles: Mapped[list["Article"]] = relationship(back_populates="author")


class Article(Base):
    __tablename__ = "articles"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    title: Mapped[str]
    author_id: Mapped[Optional[int]] = mapped_column(ForeignKey("people.id"))
    author: Mapped[Optional["Person"]] = relationship(back_populates="articles")
    tags: Mapped[list["Tag"]] = relationship(secondary=article_tags, back_populates="articles")


class Tag(Base):
    __tablename__ = "tags"
    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str]
    articles: Mapped[list["Article"]] = relationship(secondary=article_tags, back_populates="tags")


class Schema(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class PersonSchema(Schema):
    name: str = Field(min_length=1, max_length=50)
    age: Optional[int] = None
    articles: Annotated[
        Optional[list["ArticleSchema"]], RelationshipInfo(resource_type="articles", many=True)
    ] = None


class ArticleSchema(Schema):
    title: str
    author: Annotated[Optional["PersonSchema"], RelationshipInfo(resource_type="people")] = None
    tags: Annotated[Optional[list["TagSchema"]], RelationshipInfo(resource_type="tags", many=True)] = None


class TagSchema(Schema):
    id: Annotated[UUID, ClientCanSetId()] = None
    name: str
    articles: Annotated[
        Optional[list["ArticleSchema"]], RelationshipInfo(resource_type="articles", many=True)
    ] = None


class SessionDependency(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    session: AsyncSession = Depends(open_session)


class View(ViewBaseGeneric):
    operation_dependencies: ClassVar = {
        Operation.ALL: OperationConfig(
            dependencies=SessionDependency,
            prepare_data_layer_kwargs=lambda view, dependencies: {"session": dependencies.session},
        )
    }


@asynccontextmanager
async def create_tables(application):
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    yield
    await engine.dispose()


def make_application():
    for schema in (PersonSchema, ArticleSchema, TagSchema):
        schema.model_rebuild(_types_namespace=globals())
    application = FastAPI(lifespan=create_tables)
    builder = ApplicationBuilder(application)
    for name, schema, model in (
        ("people", PersonSchema, Person), ("articles", ArticleSchema, Article), ("tags", TagSchema, Tag),
    ):
        builder.add_resource(
            path=f"/{name}", tags=[name], view=View, schema=schema, model=model, resource_type=name)
    builder.initialize()
    return application


class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets=sockets)
        lifetime.announce(sockets[0].getsockname()[1])


lifetime.end_with_parent()
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", 0))
Server(uvicorn.Config(make_application(), log_level="info")).run(sockets=[listener])
