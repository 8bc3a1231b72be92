package io.statestore.cluster.transport;

import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import org.jspecify.annotations.Nullable;

/**
 * Prevents a refusing heartbeat response from being counted as an acceptance. To confirm
 * that it leads, JRaft sends heartbeats with the same closure for all peers. The closure
 * first stores a response and then counts it, on a separate thread for each peer, so
 * responses that arrive simultaneously could be confused.
 */
final class HeartbeatOrder {

	private final ReadWriteLock lock = new ReentrantReadWriteLock();

	InvokeCallback order(Object request, InvokeCallback callback) {
		return (request instanceof AppendEntriesRequest entries && entries.getEntriesCount() == 0)
				? new Ordered(callback) : callback;
	}

	private Lock lock(@Nullable Object response) {
		boolean refusal = response instanceof AppendEntriesResponse answer && !answer.getSuccess();
		return refusal ? this.lock.writeLock() : this.lock.readLock();
	}

	private final class Ordered implements InvokeCallback {

		private final InvokeCallback callback;

		Ordered(InvokeCallback callback) {
			this.callback = callback;
		}

		@Override
		public void complete(@Nullable Object response, @Nullable Throwable failure) {
			Lock lock = lock(response);
			lock.lock();
			try {
				this.callback.complete(response, failure);
			}
			finally {
				lock.unlock();
			}
		}

		@Override
		public Executor executor() {
			return this.callback.executor();
		}

	}

}
