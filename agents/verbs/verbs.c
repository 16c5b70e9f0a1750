/*
 * The device of the verbs agent: memory, streams and work, with librdmacm and libibverbs.
 *
 * A stream that ended is kept, without anything of the device, until `reset` or until its name is given again.
 */
#define _GNU_SOURCE
#include "agent.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { REGIONS = 256, STREAMS = 64, WORK = 512, OWN_WORK = 4, RECEIVES = 1024, DOMAINS = 16, PRIVATE = 255, DELAY = 60000 };
enum { OWN_IRD = 3, OWN_ORD = 5 };       /* depths that the agent's own stream is opened with */
enum { USUAL = 1, NO_STREAMS = -1 };     /* Protection Domains: of most streams, and of none */
enum { REGION_BYTES = 64 << 20, RECEIVE_BYTES = 16 << 20, READ_BYTES = 1 << 20, ALL_BYTES = 256 << 20, PAGE = 4096 };
enum { RESOLVE = 2000, FLUSHING = 500, WAITING = 1000, BUSY = 5 };      /* milliseconds */

struct domain {                          /* a Protection Domain, with the runner's number of it */
	int64_t number;
	struct ibv_pd *pd;
};

struct region {                          /* a region or window */
	struct region *next;
	struct session *session;
	char *name, *bytes;
	size_t length;
	void *pages;                     /* of a region: what was mapped */
	size_t mapped;
	unsigned users;                  /* work that names its bytes, windows, and the session */
	struct region *of;               /* of a window: what it is bound to */
	uint64_t base;                   /* the Tagged Offset of the first byte */
	bool given;                      /* by the runner */
	int access;
	struct ibv_pd *pd;
	struct ibv_mr *mr, *sink;        /* sink: what RDMA Reads of our own write to, on iWARP */
	struct ibv_mw *window;
	bool typed;                      /* the window is of type 2, of this stream */
	struct stream *stream;
	uint32_t stag;
};

enum state { PREPARED, COMING, UP, CLOSING, CLOSED, ENDING, ENDED };

struct stream {
	struct stream *next;
	struct session *session;         /* none where nobody prepared for it */
	char *name;
	json_t *options;
	enum state state;
	int64_t due;                     /* when a request is answered, or flushing is given up; 0: never */
	struct rdma_cm_id *id;
	struct ibv_cq *sends, *receives;
	struct work *work;               /* what is posted and not complete, latest first */
	unsigned sending, receiving;     /* how many of them */
	bool came;                       /* the runner opened it */
	bool raised, broken;             /* a solicited event is to be said; something was flushed or failed */
	const char *how;                 /* it ended, if that is known */
};

struct work {                            /* a receive or work request; its address is the wr_id */
	struct work *next;
	struct stream *stream;
	uint64_t identifier;
	char operation[16];
	bool receive;
	int *status;                     /* of work that the agent waits for itself: its ibv_wc_status */
	struct region *region;           /* whose bytes it uses, or */
	char *bytes, *place;             /* bytes of its own; where a message goes */
	size_t length;
	struct ibv_mr *mr;
};

static struct session own = { .fd = -1 };        /* in which the agent tries what the device can do */
static struct region *regions;
static struct stream *streams;
static struct domain domains[DOMAINS];
static struct rdma_event_channel *channel;
static struct rdma_cm_id *listener;
static struct ibv_context *device;
static struct ibv_device_attr limits;
static struct ibv_comp_channel *completions;
static const char *folder;
static char listens[80];
static size_t held;                      /* bytes of regions and of work */
static uint64_t extended;                /* operations of the extended QP that the device has */
/* Abilities that are found by trying. */
static bool given_offsets = true, zero_based = true, windows, stream_windows, files, solicited = true, tells_stag, depths_told;

static int64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

/* What failed, with the system's reason. */
static json_t *failed(const char *what)
{
	bool never = errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL;
	return refuse(never ? UNSUPPORTED : REFUSED, "%s: %s", what, strerror(errno));
}

/* Whether there is room for bytes more. */
static bool room_for(size_t bytes)
{
	return bytes <= ALL_BYTES - held || refuse(LIMIT, "at most %d bytes in all regions and work", ALL_BYTES);
}

/* The Protection Domain of a number. */
static struct ibv_pd *domain(int64_t number)
{
	for (struct domain *it = domains; it < domains + DOMAINS; it++) {
		if (it->pd && it->number != number)
			continue;
		if (!it->pd && !(it->pd = ibv_alloc_pd(device)))
			break;
		it->number = number;
		return it->pd;
	}
	refuse(LIMIT, "at most %d Protection Domains", DOMAINS);
	return NULL;
}

/* ---- Memory ---- */

static struct region *region_of(struct session *session, const char *name)
{
	for (struct region *it = regions; it; it = it->next)
		if (it->session == session && !strcmp(it->name, name))
			return it;
	refuse(UNKNOWN, "there is no region %s", name);
	return NULL;
}

/* The rights that parameters name, as the device has them. */
static bool access_of(json_t *params, int *access)
{
	json_t *right;
	size_t i;
	*access = 0;
	json_array_foreach(json_object_get(params, "rights"), i, right) {
		const char *name = json_string_value(right);
		if (!strcmp(name, "read"))
			*access |= IBV_ACCESS_REMOTE_READ;
		else if (!strcmp(name, "write"))
			*access |= IBV_ACCESS_REMOTE_WRITE;
		else if (!strcmp(name, "atomic") && limits.atomic_cap != IBV_ATOMIC_NONE)
			*access |= IBV_ACCESS_REMOTE_ATOMIC;
#ifdef HAVE_FLUSH
		else if (!strcmp(name, "flush_visibility") && extended & IBV_QP_EX_WITH_FLUSH)
			*access |= IBV_ACCESS_FLUSH_GLOBAL;
		else if (!strcmp(name, "flush_persistence") && extended & IBV_QP_EX_WITH_FLUSH)
			*access |= IBV_ACCESS_FLUSH_PERSISTENT;
#endif
		else
			return refuse(UNSUPPORTED, "the device has no right %s", name);
	}
	return true;
}

/* The messages that streams carry. */
static const char *profile(void)
{
	return extended ? "commit" : limits.atomic_cap != IBV_ATOMIC_NONE ? "rfc7306" : "rfc5040";
}

static json_t *described(struct region *region)
{
	char base[24];
	snprintf(base, sizeof base, "0x%" PRIx64, region->base);
	return json_pack("{sI ss sI}", "stag", (json_int_t)region->stag, "base", base, "length", (json_int_t)region->length);
}

/* Lets go of a region; the last one frees its bytes. */
static void leave(struct region *region)
{
	if (--region->users)
		return;
	if (region->of)
		leave(region->of);
	if (region->pages)
		munmap(region->pages, region->mapped);
	if (!region->of)
		held -= region->length;
	free(region->name);
	free(region);
}

static struct region *new_region(struct session *session, json_t *params, struct region *of)
{
	struct region *it = allocate(sizeof *it);
	it->session = session;
	it->users = 1;
	it->name = strdup(text_of(params, "region"));
	it->length = number_of(params, "length", 0);
	it->base = word_of(params, "base");
	it->given = text_of(params, "base");
	it->of = of;
	if (of)
		of->users++;
	else
		held += it->length;
	return it;
}

/* Bytes of zeros, in memory or in a new file without a name. A given offset has the same place in its page. */
static bool map_bytes(struct region *region, bool in_file)
{
	int flags = in_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file = -1;
	region->mapped = (region->base % PAGE + region->length) / PAGE * PAGE + PAGE;
	if (in_file && ((file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)) < 0 || ftruncate(file, region->mapped)))
		region->pages = MAP_FAILED;
	else
		region->pages = mmap(NULL, region->mapped, PROT_READ | PROT_WRITE, flags, file, 0);
	if (file >= 0)
		close(file);
	if (region->pages == MAP_FAILED) {
		region->pages = NULL;
		return false;
	}
	region->bytes = (char *)region->pages + region->base % PAGE;
	return true;
}

static struct ibv_mr *registered(struct region *region, int access)
{
	access |= IBV_ACCESS_LOCAL_WRITE | (windows || stream_windows ? IBV_ACCESS_MW_BIND : 0);
	if (!region->given || region->typed)
		return ibv_reg_mr(region->pd, region->bytes, region->length, access);
	return ibv_reg_mr_iova(region->pd, region->bytes, region->length, region->base,
			       access | (region->base ? 0 : IBV_ACCESS_ZERO_BASED));
}

/* Where its bytes are for local work: a window, and memory behind one, lie where the region was registered. */
static uint64_t origin(const struct region *region)
{
	if (region->of)
		return origin(region->of) + (region->bytes - region->of->bytes);
	return region->typed ? (uintptr_t)region->bytes : region->base;
}

static bool carry_out(struct stream *stream, struct ibv_send_wr *request, struct ibv_mw_bind *bind, struct ibv_mw *window);
static struct stream *stream_of(struct session *session, const char *name);

/* A stream of a Protection Domain that a window can be bound on. */
static struct stream *carrier(struct ibv_pd *pd)
{
	for (struct stream *it = streams; it; it = it->next)
		if (it->state == UP && it->id->qp->pd == pd)
			return it;
	refuse(REFUSED, "no stream of its Protection Domain is up: a window is bound by work on one");
	return NULL;
}

/* Binds a window that is of one stream (type 2), or of a Protection Domain (type 1). */
static bool bound(struct region *region)
{
	struct ibv_mr *mr = region->of ? region->of->mr : region->mr;
	int zero = region->given ? IBV_ACCESS_ZERO_BASED : 0;
	struct ibv_mw_bind_info part = { mr, origin(region), region->length, region->access | zero };
	struct stream *stream = region->typed ? region->stream : carrier(region->pd);
	struct ibv_mw *window;
	bool done;
	if (!stream)
		return false;
	if (!mr)
		return refuse(REFUSED, "its region is not valid");
	if (region->given && region->base)
		return refuse(UNSUPPORTED, "the device chooses Tagged Offsets of windows");
	if (!(window = ibv_alloc_mw(region->pd, region->typed ? IBV_MW_TYPE_2 : IBV_MW_TYPE_1)))
		return failed("the device makes no window");
	if (region->typed) {
		struct ibv_send_wr request = { .opcode = IBV_WR_BIND_MW };
		request.bind_mw.mw = window;
		request.bind_mw.rkey = ibv_inc_rkey(window->rkey);
		request.bind_mw.bind_info = part;
		done = carry_out(stream, &request, NULL, NULL);
		window->rkey = request.bind_mw.rkey;
	} else {
		struct ibv_mw_bind request = { .send_flags = IBV_SEND_SIGNALED, .bind_info = part };
		done = carry_out(stream, NULL, &request, window);
	}
	if (!done) {
		ibv_dealloc_mw(window);
		return failed("the window is not bound");
	}
	if (region->window)
		ibv_dealloc_mw(region->window);
	region->window = window;
	region->stag = window->rkey;
	return true;
}

/* Frees a window: its STag is invalid for good. */
static bool unbind(struct region *region)
{
	if (region->window && (errno = ibv_dealloc_mw(region->window)))
		return false;
	region->window = NULL;
	return true;
}

/* Takes everything of the device from a region, and forgets it. */
static bool forget_region(struct region *region)
{
	struct region **it = &regions;
	if (!unbind(region) || (region->sink && ibv_dereg_mr(region->sink)))
		return failed("it stays registered");
	region->sink = NULL;
	if (region->mr && ibv_dereg_mr(region->mr))
		return failed("it stays registered");
	region->mr = NULL;
	while (*it != region)
		it = &(*it)->next;
	*it = region->next;
	leave(region);
	return true;
}

static bool has_room_for_region(struct session *session, json_t *params)
{
	unsigned count = 0;
	for (struct region *it = regions; it; it = it->next) {
		if (it->session == session && !strcmp(it->name, text_of(params, "region")))
			return refuse(REFUSED, "there is a region %s already", it->name);
		count += it->session == session;
	}
	return count < REGIONS || refuse(LIMIT, "at most %d regions", REGIONS);
}

/* Finds the domain, and the stream of scope `stream`. */
static bool scoped(struct session *session, json_t *params, struct region *region)
{
	const char *scope = text_or(params, "scope", "protection_domain"), *name = text_of(params, "stream");
	if (!strcmp(scope, "stream")) {
		if (!name)
			return refuse(NO_PARAMS, "scope stream takes a stream");
		if (!stream_windows)
			return refuse(UNSUPPORTED, "the device has no windows of one stream");
		if (!(region->stream = stream_of(session, name)))
			return false;
		if (region->stream->state != UP)
			return refuse(REFUSED, "the stream %s is not up", name);
		region->typed = true;
		region->pd = region->stream->id->qp->pd;
		return true;
	}
	region->pd = domain(strcmp(scope, "protection_domain") ? NO_STREAMS : USUAL);
	return region->pd;
}

static json_t *entered(struct region *region)
{
	region->next = regions;
	regions = region;
	return described(region);
}

/* Registers a new region with the device. */
static bool made(struct region *region, bool in_file)
{
	if (!map_bytes(region, in_file) || !(region->mr = registered(region, region->typed ? 0 : region->access)))
		return failed("the device registers no such memory");
	region->stag = region->mr->rkey;
	if (!region->given)
		region->base = (uintptr_t)region->bytes;
	if (!region->typed || bound(region))
		return true;
	ibv_dereg_mr(region->mr);
	return false;
}

json_t *register_memory(struct session *session, json_t *params)
{
	const char *backing = text_or(params, "backing", "memory");
	struct region *it;
	int access;
	if (!has_room_for_region(session, params) || !access_of(params, &access))
		return NULL;
	if (text_of(params, "hash") || !strcmp(backing, "failing") || (!files && strcmp(backing, "memory")))
		return refuse(UNSUPPORTED, "there is no such memory here");
	if (text_of(params, "base") && !(word_of(params, "base") ? given_offsets : zero_based))
		return refuse(UNSUPPORTED, "the device chooses Tagged Offsets");
	if (number_of(params, "length", 0) > REGION_BYTES)
		return refuse(LIMIT, "at most %d bytes in a region", REGION_BYTES);
	if (!room_for(number_of(params, "length", 0)))
		return NULL;
	it = new_region(session, params, NULL);
	it->access = access;
	if (scoped(session, params, it) && made(it, !strcmp(backing, "file")))
		return entered(it);
	leave(it);
	return NULL;
}

json_t *bind_window(struct session *session, json_t *params)
{
	uint64_t offset = number_of(params, "offset", 0);
	struct region *it, *of;
	int access;
	if (!windows && !stream_windows)
		return refuse(UNSUPPORTED, "the device has no windows");
	if (!has_room_for_region(session, params) || !access_of(params, &access) ||
	    !(of = region_of(session, text_of(params, "of"))))
		return NULL;
	if (of->of)
		return refuse(UNKNOWN, "a window is bound to a region without one");
	if (offset > of->length || number_of(params, "length", 0) > of->length - offset)
		return refuse(UNKNOWN, "the region has %zu bytes", of->length);
	it = new_region(session, params, of);
	it->bytes = of->bytes + offset;
	it->access = access;
	it->base = it->given ? it->base : of->base + offset;
	if (scoped(session, params, it)) {
		it->pd = it->typed ? it->pd : of->pd;
		if (!it->typed && !windows)
			refuse(UNSUPPORTED, "the device has no windows of a Protection Domain");
		else if (bound(it))
			return entered(it);
	}
	leave(it);
	return NULL;
}

/* Whether a window is bound to a region; refuses then. */
static bool has_windows(const struct region *region)
{
	for (struct region *it = regions; it; it = it->next)
		if (it->of == region)
			return !refuse(REFUSED, "the window %s is still bound", it->name);
	return false;
}

json_t *invalidate(struct session *session, json_t *params)
{
	struct region *it = region_of(session, text_of(params, "region"));
	struct ibv_send_wr request = { .opcode = IBV_WR_LOCAL_INV };
	if (!it || has_windows(it))
		return NULL;
	if (it->typed && it->stream && it->stream->state == UP) {
		request.invalidate_rkey = it->stag;
		return carry_out(it->stream, &request, NULL, NULL) ? json_null() : failed("it is not invalidated");
	}
	if (it->window ? !unbind(it) : it->mr && ibv_dereg_mr(it->mr))
		return failed("it stays valid");
	if (!it->of && !it->typed)
		it->mr = NULL;
	return json_null();
}

json_t *revalidate(struct session *session, json_t *params)
{
	struct region *it = region_of(session, text_of(params, "region"));
	struct ibv_mr *mr;
	int access, before;
	if (!it || has_windows(it) || !access_of(params, &access))
		return NULL;
	before = it->access;
	it->access = access;
	if (it->of || it->typed) {
		if (bound(it))
			return described(it);
	} else if (!(mr = registered(it, access))) {
		failed("the device registers it not again");
	} else if (it->mr && ibv_dereg_mr(it->mr)) {
		failed("it stays registered");
		ibv_dereg_mr(mr);
	} else {
		it->mr = mr;
		it->stag = mr->rkey;
		return described(it);
	}
	it->access = before;
	return NULL;
}

json_t *deregister(struct session *session, json_t *params)
{
	struct region *it = region_of(session, text_of(params, "region"));
	return it && !has_windows(it) && forget_region(it) ? json_null() : NULL;
}

/* The bytes of a part of a region. */
static char *part_of(struct region *region, uint64_t offset, uint64_t length)
{
	if (offset <= region->length && length <= region->length - offset)
		return region->bytes + offset;
	refuse(UNKNOWN, "%" PRIu64 " bytes from %" PRIu64 " are not in the region of %zu", length, offset, region->length);
	return NULL;
}

json_t *read_memory(struct session *session, json_t *params)
{
	struct region *it = region_of(session, text_of(params, "region"));
	uint64_t length = number_of(params, "length", 0);
	char *bytes = it ? part_of(it, number_of(params, "offset", 0), length) : NULL;
	if (bytes && length > READ_BYTES)
		return refuse(LIMIT, "at most %d bytes at once", READ_BYTES);
	return bytes ? hex(bytes, length) : NULL;
}

json_t *write_memory(struct session *session, json_t *params)
{
	struct region *it = region_of(session, text_of(params, "region"));
	size_t length;
	char *given = unhex(text_of(params, "bytes"), &length);
	char *bytes = it ? part_of(it, number_of(params, "offset", 0), length) : NULL;
	if (bytes)
		memcpy(bytes, given, length);
	free(given);
	return bytes ? json_null() : NULL;
}

/* What of a mapped file is on its medium cannot be seen: the region and the file are the same memory. */
json_t *recall(struct session *session, json_t *params)
{
	return region_of(session, text_of(params, "region")) ? refuse(UNSUPPORTED, "nothing is recalled here") : NULL;
}

/* ---- Streams ---- */

static struct stream *stream_of(struct session *session, const char *name)
{
	for (struct stream *it = streams; it; it = it->next)
		if (it->session == session && !strcmp(it->name, name))
			return it;
	refuse(UNKNOWN, "there is no stream %s", name);
	return NULL;
}

static void say_of(struct stream *stream, const char *event, json_t *fields)
{
	happened(stream->session, stream->name, event, fields);
}

static void free_work(struct work *work)
{
	if (work->mr)
		ibv_dereg_mr(work->mr);
	if (work->bytes)
		held -= work->length;
	if (work->region)
		leave(work->region);
	free(work->bytes);
	free(work);
}

/* Takes a piece of work from its stream. */
static void take_off(struct work *work)
{
	struct work **it = &work->stream->work;
	while (*it != work)
		it = &(*it)->next;
	*it = work->next;
	if (work->receive)
		work->stream->receiving--;
	else
		work->stream->sending--;
	free_work(work);
}

static void say_completion(struct work *work, const struct ibv_wc *wc)
{
	const char *status = wc->status == IBV_WC_SUCCESS ? "succeeded" :
			     wc->status == IBV_WC_WR_FLUSH_ERR ? "flushed" : "other";
	json_t *it = json_pack("{sI ss ss}", "identifier", (json_int_t)work->identifier, "operation", work->operation,
			       "status", status);
	char original[24];
	if (wc->status != IBV_WC_SUCCESS) {
		json_object_set_new(it, "text", json_string(ibv_wc_status_str(wc->status)));
	} else if (!strcmp(work->operation, "atomic")) {
		snprintf(original, sizeof original, "0x%" PRIx64, *(uint64_t *)work->bytes);
		json_object_set_new(it, "original", json_string(original));
	}
	say_of(work->stream, "completion", it);
}

static void say_arrival(struct work *work, const struct ibv_wc *wc)
{
	size_t length = wc->byte_len < work->length ? wc->byte_len : work->length;
	json_t *it = json_pack("{sI so}", "identifier", (json_int_t)work->identifier, "payload", hex(work->place, length));
	if (tells_stag || wc->wc_flags & IBV_WC_WITH_INV)
		json_object_set_new(it, "invalidated_stag",
				    json_integer(wc->wc_flags & IBV_WC_WITH_INV ? wc->invalidated_rkey : 0));
	say_of(work->stream, "arrival", it);
}

/* Says what completed on a stream. */
static void completed(struct stream *stream)
{
	struct ibv_cq *queues[] = { stream->receives, stream->sends };
	struct ibv_wc wc;
	for (int i = 0; i < 2; i++)
		while (queues[i] && ibv_poll_cq(queues[i], 1, &wc) == 1) {
			struct work *work = (struct work *)(uintptr_t)wc.wr_id;
			stream->broken |= wc.status != IBV_WC_SUCCESS;
			if (work->status)
				*work->status = wc.status;
			else if (work->receive && wc.status == IBV_WC_SUCCESS)
				say_arrival(work, &wc);
			else
				say_completion(work, &wc);
			take_off(work);
		}
}

/* Gives everything of the device back: windows of the stream, the QP, what was posted, queues, the identifier. */
static void release(struct stream *stream)
{
	for (struct region *it = regions; it; it = it->next)
		if (it->stream == stream && unbind(it))
			it->stream = NULL;
	if (stream->id && stream->id->qp)
		rdma_destroy_qp(stream->id);
	while (stream->work)
		take_off(stream->work);
	if (stream->sends)
		ibv_destroy_cq(stream->sends);
	if (stream->receives)
		ibv_destroy_cq(stream->receives);
	if (stream->id)
		rdma_destroy_id(stream->id);
	stream->sends = stream->receives = NULL;
	stream->id = NULL;
}

static void forget_stream(struct stream *stream)
{
	struct stream **it = &streams;
	while (*it != stream)
		it = &(*it)->next;
	*it = stream->next;
	release(stream);
	json_decref(stream->options);
	free(stream->name);
	free(stream);
}

/* Ends a stream: what is posted is flushed, and told before the end is. */
static void end(struct stream *stream, const char *how)
{
	struct ibv_qp_attr error = { .qp_state = IBV_QPS_ERR };
	if (stream->state >= ENDING)
		return;
	completed(stream);
	if (stream->id && stream->id->qp)
		ibv_modify_qp(stream->id->qp, &error, IBV_QP_STATE);
	stream->state = ENDING;
	stream->due = now() + FLUSHING;
	stream->how = stream->how ? stream->how : how;
}

static void setup_failed(struct stream *stream, const char *why)
{
	say_of(stream, "setup_failed", json_pack("{ss}", "text", why));
	end(stream, "setup_failed");
}

/* What an order of the runner can be given to: a stream that is up, or at least has its QP. */
static struct stream *usable(struct session *session, json_t *params, enum state least)
{
	struct stream *it = stream_of(session, text_of(params, "stream"));
	if (!it || (it->state >= least && it->state <= UP && it->id && it->id->qp))
		return it;
	refuse(REFUSED, it->state >= ENDING ? "the stream ended" : it->state > UP ? "the stream is closing" :
	       "the stream is not up yet");
	return NULL;
}

/* A place for work on a stream. */
static struct work *new_work(struct stream *stream, uint64_t identifier, const char *operation)
{
	struct work *it = allocate(sizeof *it);
	*it = (struct work){ .next = stream->work, .stream = stream, .identifier = identifier };
	snprintf(it->operation, sizeof it->operation, "%s", operation);
	it->receive = !strcmp(operation, "receive");
	stream->work = it;
	if (it->receive)
		stream->receiving++;
	else
		stream->sending++;
	return it;
}

/* Gives work bytes of its own, and describes them to the device. */
static bool own_bytes(struct work *work, char *bytes, size_t length, struct ibv_sge *part)
{
	work->bytes = work->place = bytes;
	work->length = length;
	held += length;
	work->mr = ibv_reg_mr(work->stream->id->qp->pd, bytes, length + 1, IBV_ACCESS_LOCAL_WRITE);
	if (work->mr)
		*part = (struct ibv_sge){ (uintptr_t)bytes, length, work->mr->lkey };
	return work->mr;
}

/* Gives work a part of a region. */
static void region_bytes(struct work *work, struct region *region, uint64_t offset, size_t length, struct ibv_sge *part)
{
	struct ibv_mr *mr = region->of ? region->of->mr : region->mr;
	work->region = region;
	region->users++;
	work->place = region->bytes + offset;
	work->length = length;
	*part = (struct ibv_sge){ origin(region) + offset, length, mr ? mr->lkey : 0 };
}

static bool receive(struct stream *stream, uint64_t identifier, size_t size, struct region *region, uint64_t offset)
{
	struct work *work = new_work(stream, identifier, "receive");
	struct ibv_sge part;
	struct ibv_recv_wr request = { .wr_id = (uintptr_t)work, .sg_list = &part, .num_sge = 1 }, *bad;
	bool ready = true;
	if (region)
		region_bytes(work, region, offset, size, &part);
	else
		ready = own_bytes(work, allocate(size + 1), size, &part);
	if (ready && !(errno = abs(ibv_post_recv(stream->id->qp, &request, &bad))))
		return true;
	take_off(work);
	return failed("the receive is not posted");
}

/* Makes queues and a QP, and posts the receives that were ordered. */
static bool equipped(struct stream *stream)
{
	struct ibv_pd *pd = domain(number_of(stream->options, "protection_domain", USUAL));
	struct ibv_qp_init_attr_ex it = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1, .pd = pd, .comp_mask = IBV_QP_INIT_ATTR_PD,
		.cap = { .max_send_wr = WORK + OWN_WORK, .max_recv_wr = RECEIVES, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	uint64_t receives = number_of(stream->options, "receives", 0);
	stream->sends = ibv_create_cq(device, WORK + OWN_WORK, stream, completions, 0);
	stream->receives = ibv_create_cq(device, RECEIVES, stream, completions, 0);
	it.send_cq = stream->sends;
	it.recv_cq = stream->receives;
	if (extended) {
		it.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		it.send_ops_flags = extended;
	}
	if (!pd || !it.send_cq || !it.recv_cq || ibv_req_notify_cq(it.send_cq, 0) ||
	    ibv_req_notify_cq(it.recv_cq, solicited) || rdma_create_qp_ex(stream->id, &it))
		return false;
	for (uint64_t i = 1; i <= receives; i++)
		if (!receive(stream, i, number_of(stream->options, "receive_size", 0), NULL, 0))
			return false;
	return true;
}

static struct rdma_conn_param parameters(struct stream *stream)
{
	static char *data;
	uint64_t ird = number_of(stream->options, "ird", 16), ord = number_of(stream->options, "ord", 16);
	struct rdma_conn_param it = { .retry_count = 7 };
	size_t length = 0;
	free(data);
	data = unhex(text_or(stream->options, "private_data", ""), &length);
	it.private_data = data;
	it.private_data_len = length;
	it.responder_resources = ird < (uint64_t)limits.max_qp_rd_atom ? ird : (uint64_t)limits.max_qp_rd_atom;
	it.initiator_depth = ord < (uint64_t)limits.max_qp_init_rd_atom ? ord : (uint64_t)limits.max_qp_init_rd_atom;
	return it;
}

/* Whether the options of a stream can be followed. */
static bool can_follow(json_t *options)
{
	static const char *const of_device[] = { "revision", "enhanced", "markers", "crc", "peer_to_peer", "packing", "profile",
						 "ready_to_receive", "longest_ulpdu", "required_ord" };
	const char *data = text_of(options, "private_data");
	uint64_t receives = number_of(options, "receives", 0), size = number_of(options, "receive_size", 0);
	for (size_t i = 0; i < sizeof of_device / sizeof *of_device; i++) {
		json_t *asked = json_object_get(options, of_device[i]);
		if (asked && !json_is_null(asked) && strcmp(text_or(options, of_device[i], ""), profile()))
			return refuse(UNSUPPORTED, "%s is the device's choice", of_device[i]);
	}
	if (flag_of(options, "half_open") || flag_of(options, "fall_back"))
		return refuse(UNSUPPORTED, "the device neither stays half open nor falls back");
	if ((data && strlen(data) > 2 * PRIVATE) || receives > RECEIVES || size > RECEIVE_BYTES ||
	    number_of(options, "delay", 0) > DELAY)
		return refuse(LIMIT, "at most %d bytes of private data, %d receives of %d bytes, %d ms of delay", PRIVATE,
			      RECEIVES, RECEIVE_BYTES, DELAY);
	return room_for(receives * size);
}

static struct stream *new_stream(struct session *session, const char *name, json_t *options)
{
	struct stream *it = allocate(sizeof *it);
	it->session = session;
	it->name = strdup(name);
	it->options = json_incref(options);
	it->next = streams;
	return streams = it;
}

/* A stream that a runner names: the name is new, or of a stream that ended. */
static struct stream *named(struct session *session, json_t *options)
{
	struct stream *older = NULL;
	unsigned count = 0;
	for (struct stream *it = streams; it; it = it->next) {
		count += it->session == session;
		if (it->session == session && !strcmp(it->name, text_of(options, "stream")))
			older = it;
	}
	if (!can_follow(options))
		return NULL;
	if (older && older->state != ENDED)
		refuse(REFUSED, "there is a stream %s already", older->name);
	else if (!older && count >= STREAMS)
		refuse(LIMIT, "at most %d streams", STREAMS);
	else {
		if (older)
			forget_stream(older);
		return new_stream(session, text_of(options, "stream"), options);
	}
	return NULL;
}

json_t *prepare(struct session *session, json_t *params)
{
	return named(session, params) ? json_null() : NULL;
}

json_t *open_stream(struct session *session, json_t *params)
{
	const char *address = text_of(params, "address");
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST }, *to;
	char host[NI_MAXHOST], port[8];
	struct stream *stream = named(session, params);
	if (!stream)
		return NULL;
	if (!address && !getnameinfo((struct sockaddr *)&session->runner, sizeof session->runner, host, sizeof host, NULL, 0,
				     NI_NUMERICHOST))
		address = host;
	snprintf(port, sizeof port, "%d", (int)number_of(params, "port", 0));
	stream->state = COMING;
	if (getaddrinfo(address, port, &hints, &to)) {
		refuse(NO_PARAMS, "%s: no address", address);
	} else {
		bool wrong = rdma_create_id(channel, &stream->id, stream, RDMA_PS_TCP) ||
			     rdma_resolve_addr(stream->id, NULL, to->ai_addr, RESOLVE);
		freeaddrinfo(to);
		if (!wrong)
			return json_null();
		failed("the address cannot be resolved");
	}
	forget_stream(stream);
	return NULL;
}

json_t *finish(struct session *session, json_t *params)
{
	struct stream *stream = usable(session, params, UP);
	if (!stream)
		return NULL;
	stream->state = CLOSING;
	return json_null();
}

json_t *abort_stream(struct session *session, json_t *params)
{
	struct stream *stream = stream_of(session, text_of(params, "stream"));
	if (!stream || stream->state >= ENDING)
		return stream ? refuse(REFUSED, "the stream ended") : NULL;
	end(stream, "dropped");
	return json_null();
}

/* Answers a request. */
static void decide(struct stream *stream)
{
	struct rdma_conn_param param = parameters(stream);
	stream->due = 0;
	if (flag_of(stream->options, "reject")) {
		rdma_reject(stream->id, param.private_data, param.private_data_len);
		say_of(stream, "rejected", NULL);
		end(stream, "rejected");
	} else if (!equipped(stream) || rdma_accept(stream->id, &param)) {
		setup_failed(stream, strerror(errno));
	}
}

static json_t *private_data(const struct rdma_conn_param *param)
{
	return json_pack("{so}", "private_data", hex(param->private_data, param->private_data_len));
}

/* A request came: it is for what was prepared for its address, else for what was prepared first, else for nobody. */
static void requested(struct rdma_cm_event *event)
{
	struct stream *found = NULL, *first = NULL;
	json_t *nothing = json_object();
	char from[80];
	place_of(rdma_get_peer_addr(event->id), from, sizeof from);
	for (struct stream *it = streams; it; it = it->next)
		if (it->state == PREPARED) {
			first = it;
			found = strcmp(text_of(it->options, "from"), from) ? found : it;
		}
	if (!found && !(found = first))
		found = new_stream(NULL, "", nothing);
	json_decref(nothing);
	found->state = COMING;
	found->came = true;
	found->id = event->id;
	found->id->context = found;
	depths_told |= event->param.conn.responder_resources == OWN_ORD && event->param.conn.initiator_depth == OWN_IRD;
	say_of(found, "request", private_data(&event->param.conn));
	found->due = now() + number_of(found->options, "delay", 0);
}

static void cm_event(struct rdma_cm_event *event)
{
	struct stream *stream = event->id->context;
	struct rdma_conn_param param;
	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		requested(event);
		break;
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		if (rdma_resolve_route(stream->id, RESOLVE))
			setup_failed(stream, strerror(errno));
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		param = parameters(stream);
		if (!equipped(stream) || rdma_connect(stream->id, &param))
			setup_failed(stream, strerror(errno));
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (stream->state == COMING) {
			stream->state = UP;
			say_of(stream, "established", stream->came ? NULL : private_data(&event->param.conn));
		}
		break;
	case RDMA_CM_EVENT_REJECTED:
		say_of(stream, "rejected", private_data(&event->param.conn));
		end(stream, "rejected");
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		end(stream, NULL);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
		if (stream->state == COMING)
			setup_failed(stream, rdma_event_str(event->event));
		break;
	default:
		break;
	}
}

/* ---- Work ---- */

json_t *post_receives(struct session *session, json_t *params)
{
	uint64_t count = number_of(params, "count", 0), size = number_of(params, "size", 0);
	uint64_t identifier = number_of(params, "identifier", 0), offset = number_of(params, "offset", 0);
	const char *name = text_of(params, "region");
	struct stream *stream = usable(session, params, COMING);
	struct region *region = NULL;
	if (!stream || (name && !(region = region_of(session, name))))
		return NULL;
	if (count > RECEIVES - stream->receiving || size > RECEIVE_BYTES)
		return refuse(LIMIT, "at most %d receives of %d bytes", RECEIVES, RECEIVE_BYTES);
	if (region ? !part_of(region, offset, count * size) : !room_for(count * size))
		return NULL;
	for (uint64_t i = 0; i < count; i++)
		if (!receive(stream, identifier + i, size, region, offset + i * size))
			return NULL;
	return json_null();
}

/* What of the extended QP an operation needs; 0 for those that every QP has, or that none has. */
static uint64_t extended_of(const char *operation)
{
#ifdef HAVE_FLUSH
	if (!strcmp(operation, "flush"))
		return IBV_QP_EX_WITH_FLUSH;
	if (!strcmp(operation, "atomic_write"))
		return IBV_QP_EX_WITH_ATOMIC_WRITE;
#endif
	(void)operation;
	return 0;
}

/* Posts a Flush or Atomic Write. */
static int post_extended(json_t *params, struct work *work, const struct ibv_send_wr *request)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(work->stream->id->qp);
	ibv_wr_start(qp);
	qp->wr_id = request->wr_id;
	qp->wr_flags = request->send_flags;
#ifdef HAVE_FLUSH
	uint32_t stag = request->wr.rdma.rkey;
	uint64_t to = request->wr.rdma.remote_addr, data = word_of(params, "data");
	if (!strcmp(work->operation, "flush"))
		ibv_wr_flush(qp, stag, to, number_of(params, "length", 0),
			     (has_flag(params, "persistence") ? IBV_FLUSH_PERSISTENT : 0) |
			     (has_flag(params, "visibility") ? IBV_FLUSH_GLOBAL : 0), IBV_FLUSH_RANGE);
	else
		ibv_wr_atomic_write(qp, stag, to, &data);
#else
	(void)params;
#endif
	return ibv_wr_complete(qp);
}

/* Puts what is asked into a request of the device. */
static bool asked_for(json_t *params, const char *operation, struct ibv_send_wr *request)
{
	const char *atomic = text_or(params, "atomic", "");
	uint64_t data = word_of(params, "data"), mask = word_of(params, "mask");
	request->wr.rdma.rkey = number_of(params, "stag", 0);
	request->wr.rdma.remote_addr = word_of(params, "to");
	if (!strcmp(operation, "send")) {
		request->opcode = IBV_WR_SEND;
	} else if (!strcmp(operation, "rdma_write")) {
		request->opcode = IBV_WR_RDMA_WRITE;
	} else if (!strcmp(operation, "rdma_read")) {
		request->opcode = IBV_WR_RDMA_READ;
		return text_of(params, "region") || refuse(NO_PARAMS, "a Read takes a region");
	} else if (!strcmp(operation, "atomic") && limits.atomic_cap != IBV_ATOMIC_NONE) {
		request->wr.atomic.rkey = number_of(params, "stag", 0);
		request->wr.atomic.compare_add = data;
		request->opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
		if (!strcmp(atomic, "fetch_add") && !mask)
			return true;
		request->wr.atomic.compare_add = word_of(params, "compare_data");
		request->wr.atomic.swap = data;
		request->opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
		if (strcmp(atomic, "cmp_swap") || ~mask || ~word_of(params, "compare_mask"))
			return refuse(*atomic ? UNSUPPORTED : NO_PARAMS, "Atomics are fetch_add and cmp_swap of whole words");
	} else if (!(extended & extended_of(operation))) {
		return refuse(UNSUPPORTED, "the device makes no %s", operation);
	}
	return true;
}

static bool flagged(json_t *params, struct ibv_send_wr *request)
{
	if (has_flag(params, "immediate") || has_flag(params, "compare"))
		return refuse(UNSUPPORTED, "the device has neither 64 bits of Immediate Data nor Verify");
	if (has_flag(params, "invalidate")) {
		if (request->opcode != IBV_WR_SEND)
			return refuse(UNSUPPORTED, "a Send invalidates, nothing else");
		request->opcode = IBV_WR_SEND_WITH_INV;
		request->invalidate_rkey = number_of(params, "invalidate_stag", 0);
	}
	request->send_flags = (has_flag(params, "fence") ? IBV_SEND_FENCE : 0) |
			      (has_flag(params, "solicited") ? IBV_SEND_SOLICITED : 0);
	return true;
}

/* Finds source or sink. On iWARP a peer writes to the sink of a Read, so that must be a region that it may write. */
static bool supplied(struct session *session, json_t *params, struct work *work, struct ibv_send_wr *request)
{
	const char *payload = text_of(params, "payload"), *name = text_of(params, "region");
	uint64_t offset = number_of(params, "offset", 0), length = number_of(params, "length", 0);
	bool reads = request->opcode == IBV_WR_RDMA_READ;
	struct region *region;
	char *bytes;
	size_t size;
	if (!strcmp(work->operation, "atomic"))
		return own_bytes(work, allocate(8 + 1), 8, request->sg_list);
	if (payload && !reads) {
		bytes = unhex(payload, &size);
		return own_bytes(work, bytes, size, request->sg_list);
	}
	if (!name) {
		request->num_sge = 0;
		return true;
	}
	if (!(region = region_of(session, name)) || !part_of(region, offset, length))
		return false;
	region_bytes(work, region, offset, length, request->sg_list);
	if (!request->sg_list->lkey)
		return refuse(REFUSED, "the region is not valid");
	if (reads && device->device->transport_type == IBV_TRANSPORT_IWARP && !(region->access & IBV_ACCESS_REMOTE_WRITE)) {
		if (!region->sink)
			region->sink = ibv_reg_mr(region->pd, region->bytes, region->length,
						  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
		if (!region->sink)
			return failed("the sink is not registered");
		*request->sg_list = (struct ibv_sge){ (uintptr_t)region->bytes + offset, length, region->sink->lkey };
	}
	return true;
}

json_t *post(struct session *session, json_t *params)
{
	const char *operation = text_of(params, "operation");
	struct stream *stream = usable(session, params, UP);
	struct ibv_sge part = { 0 };
	struct ibv_send_wr request = { .sg_list = &part, .num_sge = 1 }, *bad;
	struct work *work;
	if (!stream || !asked_for(params, operation, &request) || !flagged(params, &request))
		return NULL;
	if (stream->sending >= WORK)
		return refuse(LIMIT, "at most %d work requests on a stream", WORK);
	if (!room_for(strlen(text_or(params, "payload", "")) / 2))
		return NULL;
	work = new_work(stream, number_of(params, "identifier", 0), operation);
	request.wr_id = (uintptr_t)work;
	if (!supplied(session, params, work, &request)) {
		take_off(work);
		return NULL;
	}
	errno = extended_of(operation) ? post_extended(params, work, &request) :
		abs(ibv_post_send(stream->id->qp, &request, &bad));
	if (!errno)
		return json_null();
	take_off(work);
	return failed("the work is not posted");
}

/* Carries out work of the agent's own, a bind or another request, and waits for it. */
static bool carry_out(struct stream *stream, struct ibv_send_wr *request, struct ibv_mw_bind *bind, struct ibv_mw *window)
{
	static int nobody;
	struct work *work = new_work(stream, 0, "");
	struct ibv_send_wr *bad;
	int64_t until = now() + WAITING;
	int status = -1;
	work->status = &status;
	if (bind) {
		bind->wr_id = (uintptr_t)work;
		errno = abs(ibv_bind_mw(stream->id->qp, window, bind));
	} else {
		request->wr_id = (uintptr_t)work;
		errno = abs(ibv_post_send(stream->id->qp, request, &bad));
	}
	if (errno) {
		take_off(work);
		return false;
	}
	while (status < 0 && now() < until)
		completed(stream);
	if (status < 0)
		work->status = &nobody;
	errno = EIO;
	return status == IBV_WC_SUCCESS;
}

/* ---- The device ---- */

static void cm_events(void)
{
	struct rdma_cm_event *event, copy;
	char data[UINT8_MAX];
	while (!rdma_get_cm_event(channel, &event)) {
		copy = *event;
		if (copy.param.conn.private_data)
			memcpy(data, copy.param.conn.private_data, copy.param.conn.private_data_len);
		copy.param.conn.private_data = data;
		rdma_ack_cm_event(event);        /* before an id is destroyed, which waits for it */
		cm_event(&copy);
	}
}

static void async_events(void)
{
	struct ibv_async_event event;
	while (!ibv_get_async_event(device, &event)) {
		const char *text = ibv_event_type_str(event.event_type);
		bool ends = event.event_type == IBV_EVENT_QP_FATAL || event.event_type == IBV_EVENT_QP_REQ_ERR ||
			    event.event_type == IBV_EVENT_QP_ACCESS_ERR;
		for (struct stream *it = streams; it && ends; it = it->next)
			if (it->id && it->id->qp == event.element.qp && it->state < ENDING) {
				completed(it);
				say_of(it, "terminates", json_pack("{ss}", "text", text));
				it->how = "error_here";
			}
		if (!ends)
			fprintf(stderr, "agent: the device says: %s\n", text);
		ibv_ack_async_event(&event);
	}
}

static void queue_events(void)
{
	struct ibv_cq *queue;
	void *context;
	while (!ibv_get_cq_event(completions, &queue, &context)) {
		struct stream *stream = context;
		bool came = queue == stream->receives;
		ibv_ack_cq_events(queue, 1);
		ibv_req_notify_cq(queue, came && solicited);
		stream->raised |= came && solicited;
	}
}

/* Does what has become due on a stream. */
static void mind(struct stream *stream)
{
	if (stream->state >= UP && stream->state < ENDED)
		completed(stream);
	if (stream->raised && stream->state == UP && !stream->broken)
		say_of(stream, "solicited_event", NULL);
	stream->raised &= stream->state < UP;
	if (stream->state == COMING && stream->due && now() >= stream->due)
		decide(stream);
	if (stream->state == CLOSING && !stream->sending) {
		stream->state = CLOSED;
		rdma_disconnect(stream->id);
	}
	if (stream->state == ENDING && (!stream->work || now() >= stream->due)) {
		release(stream);
		stream->state = ENDED;
		say_of(stream, "ended", stream->how ? json_pack("{ss}", "how", stream->how) : NULL);
		if (!stream->session)
			forget_stream(stream);
	}
}

void device_step(void)
{
	cm_events();
	async_events();
	queue_events();
	for (struct stream *it = streams, *next; it; it = next) {
		next = it->next;
		mind(it);
	}
}

void device_fds(int fds[DEVICE_FDS])
{
	fds[0] = channel->fd;
	fds[1] = device->async_fd;
	fds[2] = completions->fd;
}

/* How long nothing is to be done, in milliseconds. A message that raises no event is found by looking. */
int device_patience(void)
{
	for (struct stream *it = streams; it; it = it->next)
		if (it->state != PREPARED && it->state != ENDED)
			return BUSY;
	return WAITING;
}

/* Drops streams, memory and Protection Domains of a session; nothing is said of it. */
json_t *reset(struct session *session, json_t *params)
{
	(void)params;
	for (struct stream *it = streams, *next; it; it = next) {
		next = it->next;
		if (it->session == session)
			forget_stream(it);
	}
	for (int windows_first = 1; windows_first >= 0; windows_first--)
		for (struct region *it = regions, *next; it; it = next) {
			next = it->next;
			if (it->session == session && (it->of || !windows_first) && !forget_region(it))
				it->session = NULL;      /* nobody can name it any more */
		}
	for (int i = 0; i < DOMAINS; i++)
		if (domains[i].pd && domains[i].number != USUAL && !ibv_dealloc_pd(domains[i].pd))
			domains[i].pd = NULL;
	return json_null();
}

json_t *capabilities(struct session *session, json_t *params)
{
	const struct { const char *name; bool has; } all[] = {
		{ "send", true }, { "rdma-write", true }, { "rdma-read", true }, { "fence", true }, { "private-data", true },
		{ "several-streams", true }, { "opens-streams", true }, { "protection-domains", true }, { "invalidate", true },
		{ "atomics", limits.atomic_cap != IBV_ATOMIC_NONE }, { "windows", windows || stream_windows },
		{ "stream-scope", stream_windows }, { "given-offsets", given_offsets }, { "zero-based", zero_based },
		{ "file-backing", files }, { "solicited-events", solicited }, { "invalidated-tags", tells_stag },
		{ "enhanced-setup", depths_told }, { "flush", extended & extended_of("flush") },
		{ "atomic-write", extended & extended_of("atomic_write") },
	};
	json_t *abilities = json_array();
	char runner[80], name[128];
	(void)params;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].has)
			json_array_append_new(abilities, json_string(all[i].name));
	place_of((struct sockaddr *)&session->runner, runner, sizeof runner);
	snprintf(name, sizeof name, "%s, firmware %s, libibverbs", ibv_get_device_name(device->device), limits.fw_ver);
	return json_pack("{si ss ss ss so s[s] ss s{si si si si si si si si si}}", "protocol", 1, "agent", name, "runner", runner,
			 "listens", listens, "abilities", abilities, "profiles", profile(), "profile", profile(), "limits",
			 "regions", REGIONS, "region_length", REGION_BYTES, "streams", STREAMS, "receives", RECEIVES,
			 "receive_size", RECEIVE_BYTES, "work", WORK, "private_data", PRIVATE, "ird", limits.max_qp_rd_atom,
			 "ord", limits.max_qp_init_rd_atom);
}

const char *device_listens(void)
{
	return listens;
}

void device_open(const char *address, const char *port, const char *in)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_PASSIVE }, *at;
	folder = in;
	if (getaddrinfo(address, port, &hints, &at))
		fatal("-a takes an address of the RDMA device");
	if (!(channel = rdma_create_event_channel()) || rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(listener, at->ai_addr) || rdma_listen(listener, STREAMS) || !(device = listener->verbs))
		fatal("cannot listen for streams");
	place_of(at->ai_addr, listens, sizeof listens);
	freeaddrinfo(at);
	if (ibv_query_device(device, &limits) || !domain(USUAL) || !(completions = ibv_create_comp_channel(device)))
		fatal("the device cannot be used");
	fcntl(channel->fd, F_SETFL, O_NONBLOCK);
	fcntl(completions->fd, F_SETFL, O_NONBLOCK);
	fcntl(device->async_fd, F_SETFL, O_NONBLOCK);
}

/* ---- What the device can do is tried, on a stream of the agent to itself ---- */

static json_t *ask(const char *method, json_t *params)
{
	json_t *result = call(&own, method, params);
	json_decref(params);
	return result;
}

/* Waits for so many events of a kind; gives the latest. */
static json_t *heard(const char *event, size_t many, int patience)
{
	int64_t until = now() + patience;
	json_t *it;
	size_t i;
	do {
		size_t count = 0;
		device_step();
		json_array_foreach(own.heard, i, it)
			if (!strcmp(text_of(it, "event"), event) && ++count == many)
				return it;
		poll(NULL, 0, 1);
	} while (now() < until);
	return NULL;
}

/* Drops what was there, and makes a new stream from `out` to `in`. */
static bool looped(void)
{
	struct sockaddr_storage address;
	char host[INET6_ADDRSTRLEN];
	json_decref(reset(&own, NULL));
	json_array_clear(own.heard);
	place_named(listens, &address);
	getnameinfo((struct sockaddr *)&address, sizeof address, host, sizeof host, NULL, 0, NI_NUMERICHOST);
	json_decref(ask("prepare", json_pack("{ss ss si si}", "stream", "in", "from", listens, "receives", 2, "receive_size", 8)));
	json_decref(ask("open", json_pack("{ss ss si si si}", "stream", "out", "address", host, "port", ntohs(
		((struct sockaddr_in *)&address)->sin_port), "ird", OWN_IRD, "ord", OWN_ORD)));
	return heard("established", 2, WAITING);
}

/* Whether a Write reaches memory at a Tagged Offset that is given. */
static bool reaches(const char *base)
{
	int64_t until = now() + WAITING;
	json_t *region, *bytes;
	bool done = false;
	if (!looped() || !(region = ask("register", json_pack("{ss si s[s] ss}", "region", "r", "length", 2, "rights", "write",
							      "base", base))))
		return false;
	json_decref(ask("post", json_pack("{ss si ss ss sI ss}", "stream", "out", "identifier", 1, "operation", "rdma_write",
					  "payload", "abcd", "stag", json_integer_value(json_object_get(region, "stag")), "to", base)));
	while (!done && !heard("ended", 1, BUSY) && now() < until) {
		bytes = ask("read_memory", json_pack("{ss si si}", "region", "r", "offset", 0, "length", 2));
		done = !strcmp(json_string_value(bytes), "abcd");
		json_decref(bytes);
	}
	json_decref(region);
	return done;
}

static void send_to_itself(const char *flag, json_int_t stag)
{
	json_decref(ask("post", json_pack("{ss si ss s[s] sI}", "stream", "out", "identifier", 1, "operation", "send", "flags",
					  flag, "invalidate_stag", stag)));
}

static bool makes_windows(enum ibv_mw_type type)
{
	struct ibv_mw *window = ibv_alloc_mw(domain(USUAL), type);
	return window && !ibv_dealloc_mw(window);
}

/* Whether a message that invalidates is told with its STag. */
static bool told_invalidated(void)
{
	json_t *region = NULL;
	bool told = false;
	if (looped())
		region = ask("register", stream_windows ?
			     json_pack("{ss si s[s] ss ss}", "region", "r", "length", 8, "rights", "read", "scope", "stream", "stream", "in") :
			     json_pack("{ss si s[s]}", "region", "r", "length", 8, "rights", "read"));
	if (region) {
		send_to_itself("invalidate", json_integer_value(json_object_get(region, "stag")));
		told = json_object_get(heard("arrival", 1, WAITING), "invalidated_stag");
	}
	json_decref(region);
	return told;
}

/* Whether solicited messages raise events, and others none. */
static bool raises_events(void)
{
	if (!looped())
		return false;
	send_to_itself("fence", 0);
	if (!heard("arrival", 1, WAITING) || heard("solicited_event", 1, 10 * BUSY))
		return false;
	send_to_itself("solicited", 0);
	return heard("arrival", 2, WAITING) && heard("solicited_event", 1, WAITING);
}

void device_try(void)
{
	own.heard = json_array();
	windows = makes_windows(IBV_MW_TYPE_1);
	stream_windows = makes_windows(IBV_MW_TYPE_2);
	files = true;
	files = folder && ask("register", json_pack("{ss si s[s] ss}", "region", "r", "length", 8, "rights", "write", "backing",
						    "file"));
	if (!looped())
		fprintf(stderr, "agent: the device does not connect to itself: some abilities cannot be tried, and are left out\n");
	given_offsets = reaches("0x10000010");
	zero_based = reaches("0x0");
	tells_stag = told_invalidated();
	solicited = raises_events();
	json_decref(reset(&own, NULL));
	if (windows)
		looped();                /* windows of a Protection Domain are bound on this stream */
}
