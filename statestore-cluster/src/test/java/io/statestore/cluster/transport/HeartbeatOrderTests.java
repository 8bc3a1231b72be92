package io.statestore.cluster.transport;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;

import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HeartbeatOrderTests {

	private static final AppendEntriesRequest HEARTBEAT = AppendEntriesRequest.newBuilder()
		.setGroupId("group")
		.setServerId("127.0.0.1:1")
		.setPeerId("127.0.0.1:2")
		.setTerm(1)
		.setPrevLogIndex(0)
		.setPrevLogTerm(0)
		.setCommittedIndex(0)
		.build();

	private final HeartbeatOrder order = new HeartbeatOrder();

	private final List<Boolean> completed = new CopyOnWriteArrayList<>();

	private final CountDownLatch release = new CountDownLatch(1);

	private static AppendEntriesResponse response(boolean success) {
		return AppendEntriesResponse.newBuilder().setTerm(1).setSuccess(success).build();
	}

	private Thread complete(AppendEntriesResponse response, InvokeCallback callback) {
		Thread thread = new Thread(() -> this.order.order(HEARTBEAT, callback).complete(response, null));
		thread.start();
		return thread;
	}

	@Test
	void refusalWaitsForAcceptanceBeingCounted() throws InterruptedException {
		Callback callback = new Callback();
		Thread acceptance = complete(response(true), callback);
		Awaitility.await().until(() -> acceptance.getState() == Thread.State.WAITING);
		Thread refusal = complete(response(false), callback);
		Awaitility.await().until(() -> refusal.getState() == Thread.State.WAITING);
		assertThat(this.completed).isEmpty();
		this.release.countDown();
		acceptance.join();
		refusal.join();
		assertThat(this.completed).containsExactly(true, false);
	}

	@Test
	void entriesDoNotWait() {
		Callback callback = new Callback();
		AppendEntriesRequest entries = HEARTBEAT.toBuilder()
			.addEntries(com.alipay.sofa.jraft.entity.RaftOutter.EntryMeta.newBuilder()
				.setTerm(1)
				.setType(com.alipay.sofa.jraft.entity.EnumOutter.EntryType.ENTRY_TYPE_DATA))
			.build();
		assertThat(this.order.order(entries, callback)).isSameAs(callback);
	}

	/** Records responses; accepting responses only once they are released. */
	private final class Callback implements InvokeCallback {

		@Override
		public void complete(Object response, Throwable failure) {
			boolean success = ((AppendEntriesResponse) response).getSuccess();
			try {
				if (success) {
					HeartbeatOrderTests.this.release.await();
				}
			}
			catch (InterruptedException ex) {
				throw new AssertionError(ex);
			}
			HeartbeatOrderTests.this.completed.add(success);
		}

		@Override
		public Executor executor() {
			return Runnable::run;
		}

	}

}
