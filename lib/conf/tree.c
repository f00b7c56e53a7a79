/* SPDX-License-Identifier: Apache-2.0
 * libyaml's events become nodes in one arena. What breaks the shape of the document (syntax, depth,
 * size, a key that is no text) ends the reading; what does not is a fault and the reading goes on.
 */
#include "conf/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

#include "base/arena.h"

enum { PATH_BYTES = 512, TREE_ARENA_BYTES = 128 << 20 };

struct ste_tree {
    struct ste_arena *arena;
    const struct ste_yaml *root;
    const char *name;
};

/* One open list or map. */
struct frame {
    struct ste_yaml *node, *last;
    const char *key; /* in a map: the key whose value comes next */
    yaml_mark_t key_mark;
};

struct builder {
    struct ste_tree *tree;
    struct ste_faults *faults;
    struct ste_error *err;
    struct frame frames[STE_TREE_DEPTH_MAX];
    size_t depth, node_count, document_count;
};

/* "shards[3].port" of the value that comes next. */
static const char *path_here(const struct builder *builder, char *out)
{
    struct ste_bytes room = {NULL, PATH_BYTES};
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < builder->depth && len < room.len; i++) {
        const struct frame *frame = &builder->frames[i];
        int written = 0;
        if (frame->node->kind == STE_NODE_LIST) {
            /* An open child is counted already; the one to come is not. */
            size_t index = frame->node->child_count - (i + 1 < builder->depth ? 1 : 0);
            written = snprintf(out + len, room.len - len, "[%zu]", index);
        } else if (frame->key) {
            written = snprintf(out + len, room.len - len, "%s%s", len ? "." : "", frame->key);
        }
        len += written < 0 ? 0 : (size_t)written;
    }
    return out;
}

static struct ste_yaml node_at(const struct builder *builder, yaml_mark_t mark)
{
    return (struct ste_yaml){
        .file = builder->tree->name,
        .line = (unsigned)mark.line + 1,
        .column = (unsigned)mark.column + 1,
    };
}

static void fault(struct builder *builder, yaml_mark_t mark, const char *text, const char *detail)
{
    char path[PATH_BYTES];
    struct ste_yaml place = node_at(builder, mark);
    ste_faults_add(builder->faults, &place, path_here(builder, path), "%s%s", text, detail);
}

/* A fault after which the document has no shape to go on with. */
static enum ste_code broken(struct builder *builder, yaml_mark_t mark, const char *text)
{
    fault(builder, mark, text, "");
    return ste_error_set(builder->err, STE_E_CONFIG, "%s: %s", builder->tree->name, text);
}

static enum ste_code no_memory(struct builder *builder)
{
    return ste_error_set(builder->err, STE_E_NOMEM, "out of memory reading %s",
                         builder->tree->name);
}

/* Puts a new node where the document stands; *ret is the tree's. */
static enum ste_code add_node(struct builder *builder, enum ste_yaml_kind kind, yaml_mark_t mark,
                              struct ste_yaml **ret)
{
    if (++builder->node_count > STE_TREE_NODES_MAX)
        return broken(builder, mark, "more nodes than a document may have");
    struct ste_yaml *node = STE_ARENA_NEW(builder->tree->arena, struct ste_yaml);
    if (!node)
        return no_memory(builder);
    *node = node_at(builder, mark);
    node->kind = kind;
    if (builder->depth == 0) {
        builder->tree->root = node;
    } else {
        struct frame *frame = &builder->frames[builder->depth - 1];
        if (frame->node->kind == STE_NODE_MAP) {
            node->key = frame->key;
            node->key_line = (unsigned)frame->key_mark.line + 1;
            node->key_column = (unsigned)frame->key_mark.column + 1;
        }
        if (frame->last)
            frame->last->next = node;
        else
            frame->node->child = node;
        frame->last = node;
        frame->node->child_count++;
    }
    *ret = node;
    return STE_OK;
}

/* After a value the next key of the map is awaited. */
static void value_done(struct builder *builder)
{
    if (builder->depth > 0)
        builder->frames[builder->depth - 1].key = NULL;
}

static bool awaits_key(const struct builder *builder)
{
    if (builder->depth == 0)
        return false;
    const struct frame *frame = &builder->frames[builder->depth - 1];
    return frame->node->kind == STE_NODE_MAP && !frame->key;
}

static void refuse_decoration(struct builder *builder, yaml_mark_t mark, const void *anchor,
                              const void *tag)
{
    if (anchor)
        fault(builder, mark, "anchors are not taken: &", anchor);
    if (tag)
        fault(builder, mark, "tags are not taken: ", tag);
}

static enum ste_code on_scalar(struct builder *builder, const yaml_event_t *event)
{
    struct ste_bytes text = {(const char *)event->data.scalar.value, event->data.scalar.length};
    yaml_mark_t mark = event->start_mark;
    if (text.len && memchr(text.at, '\0', text.len))
        return broken(builder, mark, "a NUL character");
    struct ste_bytes copy = ste_arena_dup(builder->tree->arena, text);
    if (!copy.at)
        return no_memory(builder);
    if (awaits_key(builder)) {
        struct frame *frame = &builder->frames[builder->depth - 1];
        frame->key = copy.at;
        frame->key_mark = mark;
        refuse_decoration(builder, mark, event->data.scalar.anchor, event->data.scalar.tag);
        return STE_OK;
    }
    refuse_decoration(builder, mark, event->data.scalar.anchor, event->data.scalar.tag);
    struct ste_yaml *node = NULL;
    enum ste_code rc = add_node(builder, STE_NODE_SCALAR, mark, &node);
    if (rc != STE_OK)
        return rc;
    node->scalar = copy.at;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    value_done(builder);
    return STE_OK;
}

static enum ste_code on_alias(struct builder *builder, const yaml_event_t *event)
{
    struct ste_yaml *node = NULL;
    if (awaits_key(builder))
        return broken(builder, event->start_mark, "an alias as key");
    fault(builder, event->start_mark, "aliases are not taken: *",
          (const char *)event->data.alias.anchor);
    enum ste_code rc = add_node(builder, STE_NODE_SCALAR, event->start_mark, &node);
    if (rc != STE_OK)
        return rc;
    node->scalar = "";
    node->refused = true;
    value_done(builder);
    return STE_OK;
}

static enum ste_code on_open(struct builder *builder, enum ste_yaml_kind kind,
                             const yaml_event_t *event, const void *anchor, const void *tag)
{
    struct ste_yaml *node = NULL;
    if (awaits_key(builder))
        return broken(builder, event->start_mark, "a list or map as key");
    if (builder->depth == STE_TREE_DEPTH_MAX)
        return broken(builder, event->start_mark, "lists and maps nested too deep");
    refuse_decoration(builder, event->start_mark, anchor, tag);
    enum ste_code rc = add_node(builder, kind, event->start_mark, &node);
    if (rc == STE_OK)
        builder->frames[builder->depth++] = (struct frame){.node = node};
    return rc;
}

static int by_key_then_place(const void *left, const void *right)
{
    const struct ste_yaml *a = *(struct ste_yaml *const *)left;
    const struct ste_yaml *b = *(struct ste_yaml *const *)right;
    int order = strcmp(a->key, b->key);
    if (order == 0)
        order = (a->key_line > b->key_line) - (a->key_line < b->key_line);
    return order ? order : (a->key_column > b->key_column) - (a->key_column < b->key_column);
}

/* Faults for every repeated key of the map just closed; the first of each stays in it. */
static enum ste_code drop_duplicates(struct builder *builder, struct ste_yaml *map)
{
    if (map->child_count < 2)
        return STE_OK;
    struct ste_yaml **sorted = malloc(map->child_count * sizeof(*sorted));
    if (!sorted)
        return no_memory(builder);
    size_t count = 0;
    for (const struct ste_yaml *child = map->child; child; child = child->next)
        sorted[count++] = (struct ste_yaml *)child; /* our own nodes, not yet given out */
    qsort(sorted, count, sizeof(struct ste_yaml *), by_key_then_place);
    const struct ste_yaml *first = sorted[0];
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i]->key, first->key) != 0) {
            first = sorted[i];
            continue;
        }
        char path[PATH_BYTES];
        struct ste_yaml place = *sorted[i];
        place.line = sorted[i]->key_line;
        place.column = sorted[i]->key_column;
        builder->frames[builder->depth - 1].key = first->key;
        ste_faults_add(builder->faults, &place, path_here(builder, path),
                       "duplicate key, first on line %u", first->key_line);
        sorted[i]->key = NULL;
    }
    free(sorted);
    const struct ste_yaml **link = &map->child;
    while (*link) {
        if ((*link)->key) {
            link = &((struct ste_yaml *)*link)->next;
        } else {
            *link = (*link)->next;
            map->child_count--;
        }
    }
    return STE_OK;
}

static enum ste_code on_close(struct builder *builder)
{
    struct ste_yaml *node = builder->frames[builder->depth - 1].node;
    enum ste_code rc = node->kind == STE_NODE_MAP ? drop_duplicates(builder, node) : STE_OK;
    builder->depth--;
    value_done(builder);
    return rc;
}

static enum ste_code on_event(struct builder *builder, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++builder->document_count > 1)
            return broken(builder, event->start_mark, "a second document");
        return STE_OK;
    case YAML_SCALAR_EVENT:
        return on_scalar(builder, event);
    case YAML_ALIAS_EVENT:
        return on_alias(builder, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_open(builder, STE_NODE_LIST, event, event->data.sequence_start.anchor,
                       event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return on_open(builder, STE_NODE_MAP, event, event->data.mapping_start.anchor,
                       event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_close(builder);
    default:
        return STE_OK;
    }
}

static enum ste_code syntax_fault(struct builder *builder, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return no_memory(builder);
    /* The reader (encoding) knows an offset only; the parser stands close behind. */
    yaml_mark_t mark = parser->error == YAML_READER_ERROR ? parser->mark : parser->problem_mark;
    struct ste_yaml place = node_at(builder, mark);
    const char *problem = parser->problem ? parser->problem : "unreadable";
    ste_faults_add(builder->faults, &place, "syntax", "%s%s%s", problem, parser->context ? " " : "",
                   parser->context ? parser->context : "");
    return ste_error_set(builder->err, STE_E_CONFIG, "%s: %s", builder->tree->name, problem);
}

static enum ste_code build(struct builder *builder, yaml_parser_t *parser)
{
    yaml_event_t event;
    enum ste_code rc = STE_OK;
    bool more = true;
    while (more && rc == STE_OK) {
        if (!yaml_parser_parse(parser, &event))
            return syntax_fault(builder, parser);
        more = event.type != YAML_STREAM_END_EVENT;
        rc = on_event(builder, &event);
        yaml_event_delete(&event);
    }
    if (rc == STE_OK && !builder->tree->root)
        rc = broken(builder, (yaml_mark_t){0}, "the document is empty");
    return rc;
}

enum ste_code ste_tree_parse(const char *name, struct ste_bytes yaml, struct ste_faults *faults,
                             struct ste_tree **ret, struct ste_error *err)
{
    yaml_parser_t parser;
    enum ste_code rc = STE_E_NOMEM;
    struct ste_tree *tree = calloc(1, sizeof(*tree));
    struct builder builder = {.tree = tree, .faults = faults, .err = err};
    if (!tree || !yaml_parser_initialize(&parser)) {
        free(tree);
        return ste_error_set(err, STE_E_NOMEM, "out of memory reading %s", name);
    }
    tree->name = name;
    tree->arena = ste_arena_new(TREE_ARENA_BYTES);
    struct ste_bytes own_name = {NULL, 0};
    if (tree->arena)
        own_name = ste_arena_dup(tree->arena, ste_bytes_of(name));
    if (!own_name.at) {
        rc = no_memory(&builder);
        goto out;
    }
    tree->name = own_name.at;
    if (yaml.len > STE_TREE_BYTES_MAX) {
        rc = broken(&builder, (yaml_mark_t){0}, "larger than a document may be");
        goto out;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)(yaml.at ? yaml.at : ""),
                                 yaml.len);
    rc = build(&builder, &parser);
out:
    yaml_parser_delete(&parser);
    if (rc == STE_OK)
        *ret = tree;
    else
        ste_tree_free(tree);
    return rc;
}

/* One byte more than the limit is read, so that ste_tree_parse sees what is too large. */
static enum ste_code read_file(const char *path, struct ste_buf *buf, struct ste_error *err)
{
    enum ste_code rc = STE_E_FILE;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ste_error_set(err, rc, "could not open %s: %s", path, strerror(errno));
    while (buf->len <= STE_TREE_BYTES_MAX) {
        if (!ste_buf_reserve(buf, 64 << 10)) {
            rc = ste_error_set(err, STE_E_NOMEM, "out of memory reading %s", path);
            goto out;
        }
        ssize_t got = read(fd, buf->at + buf->len, buf->capacity - buf->len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            (void)ste_error_set(err, rc, "could not read %s: %s", path, strerror(errno));
            goto out;
        }
        if (got == 0)
            break;
        buf->len += (size_t)got;
    }
    rc = STE_OK;
out:
    close(fd);
    return rc;
}

enum ste_code ste_tree_load(const char *path, struct ste_faults *faults, struct ste_tree **ret,
                            struct ste_error *err)
{
    struct ste_buf buf = {0};
    enum ste_code rc = read_file(path, &buf, err);
    if (rc == STE_OK)
        rc = ste_tree_parse(path, ste_buf_bytes(&buf), faults, ret, err);
    ste_buf_deinit(&buf);
    return rc;
}

void ste_tree_free(struct ste_tree *tree)
{
    if (!tree)
        return;
    ste_arena_free(tree->arena);
    free(tree);
}

const struct ste_yaml *ste_tree_root(const struct ste_tree *tree)
{
    return tree->root;
}

const struct ste_yaml *ste_yaml_get(const struct ste_yaml *map, const char *key)
{
    if (!map || map->kind != STE_NODE_MAP)
        return NULL;
    for (const struct ste_yaml *child = map->child; child; child = child->next) {
        if (strcmp(child->key, key) == 0)
            return child;
    }
    return NULL;
}

const char *ste_yaml_scalar(const struct ste_yaml *map, const char *key)
{
    const struct ste_yaml *node = ste_yaml_get(map, key);
    return node ? node->scalar : NULL;
}
