/* Listens on an RDMA device, accepts every stream, posts eight receives on each, and says nothing: a
 * target for `warpscope conform run --mode bare`.
 *   cc -o accept-all accept-all.c -lrdmacm -libverbs && ./accept-all ADDRESS PORT */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>

enum { RECEIVES = 8, SIZE = 65536, DEPTH = 16 };
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static char *buffers;

static void drain(void)
{
	struct ibv_wc wc;
	while (cq && ibv_poll_cq(cq, 1, &wc) > 0)
		;
}

static void take(struct rdma_cm_id *id, const struct rdma_conn_param *asked)
{
	struct rdma_conn_param ours = {
		/* Not what was asked for: a plain Request names no depth, and is to be read from too. */
		.responder_resources = DEPTH,
		.initiator_depth = asked->initiator_depth < DEPTH ? asked->initiator_depth : DEPTH,
	};
	struct ibv_qp_init_attr queues = { .qp_type = IBV_QPT_RC };

	if (!pd) {
		pd = ibv_alloc_pd(id->verbs);
		cq = ibv_create_cq(id->verbs, 4096, NULL, NULL, 0);
		buffers = calloc(RECEIVES, SIZE);
		mr = ibv_reg_mr(pd, buffers, RECEIVES * SIZE, IBV_ACCESS_LOCAL_WRITE);
	}
	drain();
	queues.send_cq = queues.recv_cq = cq;
	queues.cap.max_send_wr = queues.cap.max_recv_wr = 16;
	queues.cap.max_send_sge = queues.cap.max_recv_sge = 1;
	if (!pd || !cq || !mr || rdma_create_qp(id, pd, &queues)) {
		perror("resources");
		rdma_reject(id, NULL, 0);
		return;
	}
	for (int i = 0; i < RECEIVES; i++) {
		struct ibv_sge place = { (uintptr_t)buffers + SIZE * i, SIZE, mr->lkey };
		struct ibv_recv_wr receive = { .wr_id = i, .sg_list = &place, .num_sge = 1 }, *bad;
		ibv_post_recv(id->qp, &receive, &bad);
	}
	if (rdma_accept(id, &ours))
		perror("accept");
}

int main(int count, char **words)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct sockaddr_in here = { .sin_family = AF_INET };
	struct rdma_cm_id *listener;
	struct rdma_cm_event *event;

	if (count != 3) {
		fprintf(stderr, "usage: accept-all ADDRESS PORT\n");
		return 2;
	}
	inet_pton(AF_INET, words[1], &here.sin_addr);
	here.sin_port = htons(atoi(words[2]));
	if (!channel || rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP)
	    || rdma_bind_addr(listener, (void *)&here) || rdma_listen(listener, 64)) {
		perror("listen");
		return 1;
	}
	while (!rdma_get_cm_event(channel, &event)) {
		struct rdma_cm_id *id = event->id;
		struct rdma_conn_param asked = event->param.conn;
		int what = event->event;

		rdma_ack_cm_event(event);
		if (what == RDMA_CM_EVENT_CONNECT_REQUEST) {
			take(id, &asked);
		} else if (what == RDMA_CM_EVENT_DISCONNECTED || what == RDMA_CM_EVENT_CONNECT_ERROR
			   || what == RDMA_CM_EVENT_UNREACHABLE || what == RDMA_CM_EVENT_REJECTED) {
			rdma_disconnect(id);
			drain();
			rdma_destroy_qp(id);
			rdma_destroy_id(id);
		}
	}
	return 0;
}
