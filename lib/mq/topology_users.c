/* SPDX-License-Identifier: Apache-2.0
 * Users with least rights. A password is judged by logging in with it: the broker tells no more. */
#include "mq/topology_api.h"

#include <string.h>

#include "mq/mq.h"

enum { PASSWORD_BYTES = 512 };

/* {"password": …, "tags": ""}; the request's memory is wiped. */
static enum ste_code put_user(struct ste_reconcile *r, const struct ste_login *login,
                              struct ste_error *err)
{
    char password[PASSWORD_BYTES];
    struct ste_buf body = {0};
    struct ste_json_writer json;
    enum ste_code rc = ste_secret_read(login->password_file, password, sizeof password, err);
    if (rc != STE_OK)
        return rc;
    if (!ste_buf_reserve(&body, 8 * PASSWORD_BYTES)) /* so that it never moves and leaves a copy */
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for a request");
    ste_json_begin(&json, &body);
    ste_json_put_object(&json, NULL);
    ste_json_put_cstr(&json, "password", password);
    ste_json_put_cstr(&json, "tags", "");
    ste_json_put_end(&json);
    if (rc == STE_OK)
        rc = ste_api_send(&r->api, STE_HTTP_PUT, STE_API_PATH("users", login->user),
                          ste_buf_bytes(&body), err);
    explicit_bzero(password, sizeof password);
    if (body.at)
        explicit_bzero(body.at, body.capacity);
    ste_buf_deinit(&body);
    return rc;
}

/* Who is no administrator by the map must not be one; tags are a list from 3.9 on. */
static bool has_tags(const struct ste_json *user)
{
    const struct ste_json *tags = ste_json_get(user, "tags");
    const char *text = ste_json_text(tags);
    return text ? text[0] != '\0' : ste_json_count(tags) > 0;
}

static enum ste_code one_user(struct ste_reconcile *r, const struct ste_plan_user *user,
                              const struct ste_json *users, bool *ret_made, struct ste_error *err)
{
    const struct ste_json *found = ste_reconcile_find(users, "name", user->login.user);
    *ret_made = false;
    if (found && (user->administrator || !has_tags(found)))
        return STE_OK;
    ste_reconcile_line(r, found ? "user %s: has tags it should not have" : "user %s: missing",
                       user->login.user);
    if (!r->apply)
        return STE_OK;
    *ret_made = true;
    return put_user(r, &user->login, err);
}

static enum ste_code put_rights(struct ste_reconcile *r, const char *kind, const char *user,
                                const char *const (*fields)[2], size_t field_count,
                                struct ste_error *err)
{
    struct ste_buf body = {0};
    struct ste_json_writer json;
    ste_json_begin(&json, &body);
    ste_json_put_object(&json, NULL);
    for (size_t i = 0; i < field_count; i++)
        ste_json_put_cstr(&json, fields[i][0], fields[i][1]);
    ste_json_put_end(&json);
    enum ste_code rc = STE_OK;
    if (!ste_json_complete(&json))
        rc = ste_error_set(err, STE_E_NOMEM, "no memory for a request");
    else
        rc = ste_api_send(&r->api, STE_HTTP_PUT, STE_API_PATH(kind, r->cluster->broker.vhost, user),
                          ste_buf_bytes(&body), err);
    ste_buf_deinit(&body);
    return rc;
}

/* The entry of our vhost, of this user (and exchange). */
static const struct ste_json *find_rights(const struct ste_reconcile *r,
                                          const struct ste_json *list, const char *user,
                                          const char *exchange)
{
    const struct ste_json *item = ste_json_first(list);
    while (item && !(ste_json_is(item, "user", user) &&
                     ste_json_is(item, "vhost", r->cluster->broker.vhost) &&
                     (!exchange || ste_json_is(item, "exchange", exchange))))
        item = ste_json_next(item);
    return item;
}

/* *ret_enters: the user may now enter the vhost, so that a login is judged by its password alone.
 */
static enum ste_code compare_rights(struct ste_reconcile *r, const struct ste_plan_user *user,
                                    const struct ste_json *permissions, bool *ret_enters,
                                    struct ste_error *err)
{
    const char *const fields[][2] = {
        {"configure", user->configure}, {"write", user->write}, {"read", user->read}};
    const struct ste_json *found = find_rights(r, permissions, user->login.user, NULL);
    bool same = found != NULL;
    *ret_enters = found || r->apply;
    for (size_t i = 0; i < 3; i++)
        same = same && ste_json_is(found, fields[i][0], fields[i][1]);
    if (same)
        return STE_OK;
    ste_reconcile_line(r, found ? "rights of %s: differ" : "rights of %s: missing",
                       user->login.user);
    return r->apply ? put_rights(r, "permissions", user->login.user, fields, 3, err) : STE_OK;
}

static enum ste_code compare_topic(struct ste_reconcile *r, const struct ste_plan_user *user,
                                   const struct ste_json *topics, struct ste_error *err)
{
    const struct ste_plan_topic *topic = &user->topic;
    if (!topic->exchange)
        return STE_OK;
    const char *const fields[][2] = {
        {"exchange", topic->exchange}, {"write", topic->write}, {"read", topic->read}};
    const struct ste_json *found = find_rights(r, topics, user->login.user, topic->exchange);
    if (found && ste_json_is(found, "write", topic->write) &&
        ste_json_is(found, "read", topic->read))
        return STE_OK;
    ste_reconcile_line(r, found ? "topic rights of %s: differ" : "topic rights of %s: missing",
                       user->login.user);
    return r->apply ? put_rights(r, "topic-permissions", user->login.user, fields, 3, err) : STE_OK;
}

/* Only a refusal says that the password differs; a broker that is away is no difference. */
static enum ste_code compare_password(struct ste_reconcile *r, const struct ste_plan_user *user,
                                      struct ste_error *err)
{
    struct ste_mq *mq = NULL;
    enum ste_code rc =
        ste_mq_open_as(r->cluster, &user->login, STE_MQ_CONSUME, "ste-admin topology", &mq, err);
    ste_mq_close(mq);
    if (rc != STE_E_MQ_REFUSED)
        return rc;
    if (user->administrator) {
        ste_reconcile_stuck(r, "user %s: cannot log in over AMQP", user->login.user);
        return STE_OK;
    }
    ste_reconcile_line(r, "password of %s: differs from its file", user->login.user);
    return r->apply ? put_user(r, &user->login, err) : STE_OK;
}

enum ste_code ste_reconcile_users(struct ste_reconcile *r, struct ste_error *err)
{
    struct ste_json *users = NULL, *permissions = NULL, *topics = NULL;
    enum ste_code rc = ste_api_get(&r->api, STE_API_PATH("users"), &users, err);
    if (rc == STE_OK)
        rc = ste_api_get(&r->api, STE_API_PATH("permissions"), &permissions, err);
    if (rc == STE_OK)
        rc = ste_api_get(&r->api, STE_API_PATH("topic-permissions"), &topics, err);
    for (size_t i = 0; i < r->plan.user_count && rc == STE_OK; i++) {
        const struct ste_plan_user *user = &r->plan.users[i];
        bool made = false, enters = false;
        bool known = ste_reconcile_find(users, "name", user->login.user) != NULL;
        rc = one_user(r, user, users, &made, err);
        if (rc == STE_OK && (known || r->apply))
            rc = compare_rights(r, user, permissions, &enters, err);
        if (rc == STE_OK && (known || r->apply))
            rc = compare_topic(r, user, topics, err);
        if (rc == STE_OK && known && !made && enters)
            rc = compare_password(r, user, err);
    }
    ste_json_free(users);
    ste_json_free(permissions);
    ste_json_free(topics);
    return rc;
}
