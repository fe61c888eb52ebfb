# swift-jsonrpc · SPDX-License-Identifier: MIT
"""Serves articles, people, comments and tags as JSON:API, with djangorestframework-jsonapi and SQLite in memory."""

import threading
import uuid

import django
from django.conf import settings

import lifetime

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": "file:articles?mode=memory&cache=shared",
            "OPTIONS": {"uri": True},
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=["rest_framework_json_api", "rest_framework", "django_filters"],
    JSON_API_FORMAT_FIELD_NAMES="camelize",
    JSON_API_FORMAT_TYPES="camelize",
    JSON_API_PLURALIZE_TYPES=True,
    LOGGING={
        "version": 1,
        "handlers": {"stderr": {"class": "logging.StreamHandler"}},
        "loggers": {"django.request": {"handlers": ["stderr"], "level": "ERROR"}},
    },
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_FILTER_BACKENDS": [
            "rest_framework_json_api.filters.QueryParameterValidationFilter",
            "rest_framework_json_api.filters.OrderingFilter",
            "rest_framework_json_api.django_filters.DjangoFilterBackend",
        ],
        "DEFAULT_METADATA_CLASS": "rest_framework_json_api.metadata.JSONAPIMetadata",
        "DEFAULT_PAGINATION_CLASS": "rest_framework_json_api.pagination.JsonApiPageNumberPagination",
        "DEFAULT_PARSER_CLASSES": ["rest_framework_json_api.parsers.JSONParser"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework_json_api.renderers.JSONRenderer"],
        "EXCEPTION_HANDLER": "rest_framework_json_api.exceptions.exception_handler",
        "PAGE_SIZE": 10,
        "UNAUTHENTICATED_USER": None,
    },
    ROOT_URLCONF=__name__,
    USE_TZ=True,
)
django.setup()

from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402
from rest_framework import routers  # noqa: E402
from rest_framework_json_api import serializers, views  # noqa: E402
from rest_framework_json_api.exceptions import Conflict  # noqa: E402
from rest_framework_json_api.pagination import JsonApiLimitOffsetPagination  # noqa: E402
from rest_framework_json_api.relations import ResourceRelatedField  # noqa: E402


class Model(models.Model):
    class Meta:
        abstract = True
        app_label = "rest_framework_json_api"


class Person(Model):
    name = models.CharField(max_length=50)
    email = models.EmailField(null=True, blank=True)


class Tag(Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    name = models.CharField(max_length=50)


class Article(Model):
    title = models.CharField(max_length=100)
    body_text = models.TextField(null=True, blank=True)
    word_count = models.IntegerField(default=0)
    author = models.ForeignKey(Person, null=True, blank=True, on_delete=models.SET_NULL, related_name="articles")
    tags = models.ManyToManyField(Tag, blank=True, related_name="articles")


class Comment(Model):
    text = models.TextField()
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(Person, null=True, blank=True, on_delete=models.SET_NULL, related_name="comments")


def related(name, model, **options):
    """A relationship with linkage and with the links `self` and `related`."""
    return ResourceRelatedField(
        queryset=model.objects,
        related_link_view_name=f"{name}-related",
        self_link_view_name=f"{name}-relationships",
        required=False,
        **options,
    )


class PersonSerializer(serializers.ModelSerializer):
    articles = related("people", Article, many=True)
    included_serializers = {"articles": "articles_server.ArticleSerializer"}

    class Meta:
        model = Person
        fields = ["url", "name", "email", "articles"]


class TagSerializer(serializers.ModelSerializer):
    # A client can choose the id of a tag. The server ignores an id that a client chooses for another resource.
    id = serializers.UUIDField(required=False)

    class Meta:
        model = Tag
        fields = ["url", "id", "name"]

    def create(self, attributes):
        if Tag.objects.filter(pk=attributes.get("id")).exists():
            raise Conflict("There is a tag with this id.")
        return super().create(attributes)


class ArticleSerializer(serializers.ModelSerializer):
    author = related("articles", Person, allow_null=True)
    comments = related("articles", Comment, many=True)
    tags = related("articles", Tag, many=True)
    included_serializers = {
        "author": PersonSerializer,
        "comments": "articles_server.CommentSerializer",
        "tags": TagSerializer,
    }

    class Meta:
        model = Article
        fields = ["url", "title", "body_text", "word_count", "author", "comments", "tags"]
        meta_fields = ["is_long"]

    is_long = serializers.SerializerMethodField()

    def get_is_long(self, article):
        return article.word_count > 1000


class CommentSerializer(serializers.ModelSerializer):
    article = related("comments", Article)
    author = related("comments", Person, allow_null=True)
    included_serializers = {"article": ArticleSerializer, "author": PersonSerializer}

    class Meta:
        model = Comment
        fields = ["url", "text", "article", "author"]


class RelationshipView(views.RelationshipView):
    def get_serializer(self, *arguments, **options):
        # The library refuses null, and looks for the type of an empty to-one relationship in its value.
        if "model_class" in options and not options.get("many"):
            field = self.queryset.model._meta.get_field(self.get_related_field_name())
            options.update(allow_null=True, model_class=field.related_model)
        return super().get_serializer(*arguments, **options)


def add_resource(name, model, serializer, filters, **members):
    """Routes a resource, its relationships and its related resources."""
    queryset = model.objects.order_by("pk")
    shared = {"queryset": queryset, "serializer_class": serializer}
    view = type(f"{model.__name__}View", (views.ModelViewSet,), {**shared, "filterset_fields": filters, **members})
    relationship_view = type(f"{model.__name__}RelationshipView", (RelationshipView,), {"queryset": queryset})
    router.register(name, view)
    urlpatterns.extend([
        path(f"{name}/<pk>/relationships/<related_field>", relationship_view.as_view(), name=f"{name}-relationships"),
        path(f"{name}/<pk>/<related_field>", view.as_view({"get": "retrieve_related"}), name=f"{name}-related"),
    ])


def fail(request):
    return HttpResponse("<h1>Server Error</h1>", status=500)


router = routers.DefaultRouter(trailing_slash=False)
urlpatterns = [path("failure", fail)]
add_resource("people", Person, PersonSerializer, {"name": ("exact", "icontains")})
add_resource("tags", Tag, TagSerializer, {})
add_resource("articles", Article, ArticleSerializer, {
    "author": ("exact", "isnull"), "author__name": ("exact",), "title": ("exact", "icontains"),
    "word_count": ("exact", "lt", "gt"),
})
add_resource("comments", Comment, CommentSerializer, {"article": ("exact",)},
             pagination_class=JsonApiLimitOffsetPagination)
urlpatterns += router.urls


def fill():
    with connection.schema_editor() as editor:
        for model in (Person, Tag, Article, Comment):
            editor.create_model(model)
    dan = Person.objects.create(name="Dan", email="dan@example.com")
    yehuda = Person.objects.create(name="Yehuda")
    swift = Tag.objects.create(id=uuid.UUID(int=1), name="swift")
    for number in range(1, 26):
        article = Article.objects.create(
            title=f"Article {number:02}", word_count=number * 100, author=dan if number % 2 else yehuda)
        if number <= 3:
            article.tags.add(swift)
            Comment.objects.create(text=f"First of {number}", article=article, author=yehuda)
            Comment.objects.create(text=f"Second of {number}", article=article)


class OneAtATime:
    """SQLite in memory gives an error to one of two requests that use a table at once."""

    def __init__(self, application):
        self.application = application
        self.turn = threading.Lock()

    def __call__(self, environ, start_response):
        with self.turn:
            return self.application(environ, start_response)


if __name__ == "__main__":
    import sys

    # Serializers name each other by this module's name.
    sys.modules["articles_server"] = sys.modules["__main__"]
    lifetime.end_with_parent()
    fill()
    server = ThreadedWSGIServer(("127.0.0.1", 0), WSGIRequestHandler)
    server.set_app(OneAtATime(get_wsgi_application()))
    lifetime.announce(server.server_address[1])
    server.serve_forever()
