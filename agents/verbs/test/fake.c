/*
 * A device that is not there: what the verbs agent uses of librdmacm and libibverbs, in memory, for tests of the agent.
 * Streams reach its own listener only. It has windows and Tagged Offsets of the caller's choice; it checks no rights.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <rdma/rdma_cma.h>
#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

struct key { uint64_t base; char *bytes; uint64_t length; };     /* what an STag reaches; NULL bytes: nothing */
struct queue { struct ibv_cq cq; struct queue *next; struct ibv_wc entries[2048]; unsigned put, got; int armed, only_solicited, rings; };
struct qp { struct ibv_qp qp; struct end *end; struct ibv_recv_wr receives[1024]; struct ibv_sge parts[1024]; unsigned put, got; };
struct end { struct rdma_cm_id id; struct end *peer; int up; };  /* an end of a stream */
struct news { struct rdma_cm_event event; struct news *next; uint8_t data[255]; };

static struct key keys[1 << 20];
static uint32_t last_key = 256;
static struct queue *queues;
static struct news *news;
static uint16_t port;
static struct rdma_event_channel channel;
static struct ibv_comp_channel completions;
static struct ibv_device self = { .name = "fake0", .transport_type = IBV_TRANSPORT_IWARP };
static struct ibv_context context = { .device = &self };

static void *make(size_t size) { return calloc(1, size); }
static void ring(int fd) { eventfd_write(fd, 1); }
static void calm(int fd) { eventfd_t count; eventfd_read(fd, &count); }

static uint32_t key(uint64_t base, void *bytes, uint64_t length)
{
	last_key = (last_key + 256) & 0xfffff;
	keys[last_key] = (struct key){ base, bytes, length };
	return last_key;
}

static char *reached(uint32_t stag, uint64_t to, uint64_t length)
{
	struct key *it = &keys[stag & 0xfffff];
	return it->bytes && to >= it->base && to - it->base + length <= it->length ? it->bytes + (to - it->base) : NULL;
}

/* ---- The connection manager ---- */

static void send_event(struct end *end, enum rdma_cm_event_type type, const struct rdma_conn_param *param)
{
	struct news **last = &news, *it = make(sizeof *it);
	it->event.id = &end->id;
	it->event.event = type;
	if (param) {
		it->event.param.conn = *param;
		it->event.param.conn.responder_resources = param->initiator_depth;
		it->event.param.conn.initiator_depth = param->responder_resources;
		memcpy(it->data, param->private_data ? param->private_data : "", param->private_data_len);
		it->event.param.conn.private_data = it->data;
	}
	while (*last)
		last = &(*last)->next;
	*last = it;
	ring(channel.fd);
}

static void flush(struct end *end);

static void close_both(struct end *end)
{
	struct end *both[] = { end, end->peer };
	for (int i = 0; i < 2; i++)
		if (both[i] && both[i]->up) {
			both[i]->up = 0;
			flush(both[i]);
			send_event(both[i], RDMA_CM_EVENT_DISCONNECTED, NULL);
		}
}

struct rdma_event_channel *rdma_create_event_channel(void)
{
	channel.fd = eventfd(0, EFD_NONBLOCK);
	context.async_fd = eventfd(0, EFD_NONBLOCK);
	return &channel;
}

int rdma_create_id(struct rdma_event_channel *it, struct rdma_cm_id **id, void *user, enum rdma_port_space space)
{
	struct end *end = make(sizeof *end);
	end->id = (struct rdma_cm_id){ .verbs = &context, .channel = it, .context = user, .ps = space };
	*id = &end->id;
	return 0;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	struct end *end = (struct end *)id;
	close_both(end);
	for (struct news **it = &news, *old; *it;)
		if ((*it)->event.id == id) {
			old = *it;
			*it = old->next;
			free(old);
		} else {
			it = &(*it)->next;
		}
	if (end->peer)
		end->peer->peer = NULL;
	free(end);
	return 0;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *at)
{
	(void)id;
	port = ((struct sockaddr_in *)at)->sin_port;
	return 0;
}

int rdma_listen(struct rdma_cm_id *id, int backlog) { (void)id; (void)backlog; return 0; }

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to, int timeout)
{
	(void)from;
	(void)timeout;
	memcpy(&id->route.addr.dst_addr, to, sizeof(struct sockaddr_in));
	send_event((struct end *)id, RDMA_CM_EVENT_ADDR_RESOLVED, NULL);
	return 0;
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout)
{
	(void)timeout;
	send_event((struct end *)id, RDMA_CM_EVENT_ROUTE_RESOLVED, NULL);
	return 0;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct end *end = (struct end *)id;
	if (((struct sockaddr_in *)&id->route.addr.dst_addr)->sin_port != port) {
		send_event(end, RDMA_CM_EVENT_UNREACHABLE, NULL);
		return 0;
	}
	rdma_create_id(&channel, (struct rdma_cm_id **)&end->peer, NULL, id->ps);
	end->peer->peer = end;
	end->peer->id.route = id->route;
	send_event(end->peer, RDMA_CM_EVENT_CONNECT_REQUEST, param);
	return 0;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct end *end = (struct end *)id;
	if (!end->peer)
		return errno = ECONNRESET, -1;
	end->up = end->peer->up = 1;
	send_event(end, RDMA_CM_EVENT_ESTABLISHED, NULL);
	send_event(end->peer, RDMA_CM_EVENT_ESTABLISHED, param);
	return 0;
}

int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t length)
{
	struct rdma_conn_param param = { .private_data = data, .private_data_len = length };
	if (((struct end *)id)->peer)
		send_event(((struct end *)id)->peer, RDMA_CM_EVENT_REJECTED, &param);
	return 0;
}

int rdma_disconnect(struct rdma_cm_id *id) { close_both((struct end *)id); return 0; }

int rdma_get_cm_event(struct rdma_event_channel *it, struct rdma_cm_event **event)
{
	struct news *first = news;
	if (!first)
		return calm(it->fd), errno = EAGAIN, -1;
	news = first->next;
	*event = &first->event;
	return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *event) { free(event); return 0; }
const char *rdma_event_str(enum rdma_cm_event_type type) { return type == RDMA_CM_EVENT_UNREACHABLE ? "unreachable" : "?"; }

/* ---- Queues and work ---- */

static void complete(struct ibv_cq *cq, uint64_t id, enum ibv_wc_status status, uint32_t bytes, uint32_t invalidated, int solicited)
{
	struct queue *it = (struct queue *)cq;
	struct ibv_wc *wc = &it->entries[it->put++ % 2048];
	*wc = (struct ibv_wc){ .wr_id = id, .status = status, .byte_len = bytes };
	wc->invalidated_rkey = invalidated;
	wc->wc_flags = invalidated ? IBV_WC_WITH_INV : 0;
	if (it->armed && (solicited || !it->only_solicited)) {
		it->armed = 0;
		it->rings++;
		ring(completions.fd);
	}
}

static void flush(struct end *end)
{
	struct qp *qp = (struct qp *)end->id.qp;
	while (qp && qp->got != qp->put)
		complete(qp->qp.recv_cq, qp->receives[qp->got++ % 1024].wr_id, IBV_WC_WR_FLUSH_ERR, 0, 0, 0);
}

static int poll_cq(struct ibv_cq *cq, int many, struct ibv_wc *wc)
{
	struct queue *it = (struct queue *)cq;
	if (many < 1 || it->got == it->put)
		return 0;
	*wc = it->entries[it->got++ % 2048];
	return 1;
}

static int arm(struct ibv_cq *cq, int only_solicited)
{
	((struct queue *)cq)->armed = 1;
	((struct queue *)cq)->only_solicited = only_solicited;
	return 0;
}

static int post_recv(struct ibv_qp *to, struct ibv_recv_wr *request, struct ibv_recv_wr **bad)
{
	struct qp *qp = (struct qp *)to;
	(void)bad;
	qp->parts[qp->put % 1024] = *request->sg_list;
	qp->receives[qp->put++ % 1024] = *request;
	return 0;
}

/* A message takes the next receive of the peer. */
static int deliver(struct qp *from, struct ibv_send_wr *request)
{
	struct qp *to = (struct qp *)from->end->peer->id.qp;
	struct ibv_sge none = { 0 }, *part = request->num_sge ? request->sg_list : &none, *into;
	uint32_t invalidated = request->opcode == IBV_WR_SEND_WITH_INV ? request->invalidate_rkey : 0;
	if (!to || to->got == to->put || to->parts[to->got % 1024].length < part->length)
		return 0;
	into = &to->parts[to->got % 1024];
	if (part->length && !reached(into->lkey, into->addr, part->length))
		return 0;
	if (part->length)
		memcpy(reached(into->lkey, into->addr, part->length), reached(part->lkey, part->addr, part->length), part->length);
	keys[invalidated & 0xfffff].bytes = NULL;
	complete(to->qp.recv_cq, to->receives[to->got++ % 1024].wr_id, IBV_WC_SUCCESS, part->length, invalidated,
		 request->send_flags & IBV_SEND_SOLICITED);
	return 1;
}

static int post_send(struct ibv_qp *from, struct ibv_send_wr *request, struct ibv_send_wr **bad)
{
	struct qp *qp = (struct qp *)from;
	struct ibv_sge none = { 0 }, *part = request->num_sge ? request->sg_list : &none;
	char *there = reached(request->wr.rdma.rkey, request->wr.rdma.remote_addr, part->length);
	char *here = part->length ? reached(part->lkey, part->addr, part->length) : NULL;
	int done = 1;
	(void)bad;
	if (!qp->end->up || !qp->end->peer || (part->length && !here))
		return EINVAL;
	switch (request->opcode) {
	case IBV_WR_SEND: case IBV_WR_SEND_WITH_INV: done = deliver(qp, request); break;
	case IBV_WR_LOCAL_INV: keys[request->invalidate_rkey & 0xfffff].bytes = NULL; break;
	case IBV_WR_BIND_MW:
		keys[request->bind_mw.rkey & 0xfffff] = (struct key){
			request->bind_mw.bind_info.mw_access_flags & IBV_ACCESS_ZERO_BASED ? 0 : request->bind_mw.bind_info.addr,
			reached(request->bind_mw.bind_info.mr->lkey, request->bind_mw.bind_info.addr, request->bind_mw.bind_info.length),
			request->bind_mw.bind_info.length };
		break;
	case IBV_WR_RDMA_WRITE: if ((done = !!there) && here) memcpy(there, here, part->length); break;
	case IBV_WR_RDMA_READ: if ((done = !!there) && here) memcpy(here, there, part->length); break;
	default: return EOPNOTSUPP;
	}
	complete(qp->qp.send_cq, request->wr_id, done ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR, 0, 0, 0);
	if (!done)
		close_both(qp->end);
	return 0;
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ibv_mw *it = make(sizeof *it);
	*it = (struct ibv_mw){ .context = &context, .pd = pd, .rkey = key(0, NULL, 0), .type = type };
	return it;
}

static int dealloc_mw(struct ibv_mw *it) { keys[it->rkey & 0xfffff].bytes = NULL; free(it); return 0; }

static int bind_mw(struct ibv_qp *qp, struct ibv_mw *window, struct ibv_mw_bind *bind)
{
	struct ibv_send_wr request = { .opcode = IBV_WR_BIND_MW, .wr_id = bind->wr_id };
	request.bind_mw.rkey = window->rkey = ibv_inc_rkey(window->rkey);
	request.bind_mw.bind_info = bind->bind_info;
	return post_send(qp, &request, NULL);
}

/* ---- Objects ---- */

int ibv_query_device(struct ibv_context *it, struct ibv_device_attr *attr)
{
	it->ops.alloc_mw = alloc_mw;
	it->ops.dealloc_mw = dealloc_mw;
	it->ops.bind_mw = bind_mw;
	it->ops.poll_cq = poll_cq;
	it->ops.req_notify_cq = arm;
	it->ops.post_send = post_send;
	it->ops.post_recv = post_recv;
	*attr = (struct ibv_device_attr){ .fw_ver = "0", .max_qp_rd_atom = 16, .max_qp_init_rd_atom = 16 };
	return 0;
}

const char *ibv_get_device_name(struct ibv_device *it) { return it->name; }
const char *ibv_wc_status_str(enum ibv_wc_status status) { return status == IBV_WC_WR_FLUSH_ERR ? "flushed" : "failed"; }
const char *ibv_event_type_str(enum ibv_event_type type) { (void)type; return "?"; }
int ibv_get_async_event(struct ibv_context *it, struct ibv_async_event *event) { (void)it; (void)event; return -1; }
void ibv_ack_async_event(struct ibv_async_event *event) { (void)event; }
void ibv_ack_cq_events(struct ibv_cq *cq, unsigned many) { (void)cq; (void)many; }
int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask) { (void)attr; (void)mask; close_both(((struct qp *)qp)->end); flush(((struct qp *)qp)->end); return 0; }

struct ibv_pd *ibv_alloc_pd(struct ibv_context *it)
{
	struct ibv_pd *pd = make(sizeof *pd);
	pd->context = it;
	return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd) { free(pd); return 0; }

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *bytes, size_t length, uint64_t base, unsigned access)
{
	struct ibv_mr *it = make(sizeof *it);
	(void)access;
	*it = (struct ibv_mr){ .context = &context, .pd = pd, .addr = bytes, .length = length, .rkey = key(base, bytes, length) };
	it->lkey = it->rkey;
	return it;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *bytes, size_t length, int access)
{
	return ibv_reg_mr_iova2(pd, bytes, length, (uintptr_t)bytes, access);
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *bytes, size_t length, uint64_t base, int access)
{
	return ibv_reg_mr_iova2(pd, bytes, length, base, access);
}

int ibv_dereg_mr(struct ibv_mr *it) { keys[it->rkey & 0xfffff].bytes = NULL; free(it); return 0; }

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *it)
{
	completions = (struct ibv_comp_channel){ .context = it, .fd = eventfd(0, EFD_NONBLOCK) };
	return &completions;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *it, int entries, void *user, struct ibv_comp_channel *at, int vector)
{
	struct queue *queue = make(sizeof *queue);
	(void)entries;
	(void)vector;
	queue->cq = (struct ibv_cq){ .context = it, .cq_context = user, .channel = at };
	queue->next = queues;
	queues = queue;
	return &queue->cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct queue **it = &queues;
	while (*it != (struct queue *)cq)
		it = &(*it)->next;
	*it = (*it)->next;
	free(cq);
	return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *at, struct ibv_cq **cq, void **user)
{
	for (struct queue *it = queues; it; it = it->next)
		if (it->rings) {
			it->rings = 0;
			*cq = &it->cq;
			*user = it->cq.cq_context;
			return 0;
		}
	return calm(at->fd), -1;
}

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct qp *it = make(sizeof *it);
	it->qp = (struct ibv_qp){ .context = &context, .pd = pd, .send_cq = attr->send_cq, .recv_cq = attr->recv_cq };
	it->end = (struct end *)id;
	id->qp = &it->qp;
	return 0;
}

void rdma_destroy_qp(struct rdma_cm_id *id)
{
	free(id->qp);
	id->qp = NULL;
}
