package io.statestore.cluster.transport;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.option.RpcOptions;
import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.alipay.sofa.jraft.rpc.InvokeContext;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.util.Endpoint;
import com.google.protobuf.Message;
import org.jspecify.annotations.Nullable;

/** Calls of one node of JRaft to its peers. Thread-safe. */
final class PeerClient implements RpcClient {

	private volatile @Nullable PeerConnections connections;

	private volatile @Nullable ReplicatorGroup replicators;

	@Override
	public boolean init(RpcOptions options) {
		this.connections = ((ClusterNodeOptions) options).transport().connect(this.replicators);
		return true;
	}

	@Override
	public void registerConnectEventListener(ReplicatorGroup replicators) {
		this.replicators = replicators;
	}

	@Override
	public void shutdown() {
		PeerConnections connections = this.connections;
		if (connections != null) {
			connections.close();
		}
	}

	@Override
	public boolean checkConnection(Endpoint endpoint) {
		return connections().isUsable(endpoint);
	}

	@Override
	public boolean checkConnection(Endpoint endpoint, boolean createIfAbsent) {
		if (createIfAbsent) {
			connections().open(endpoint);
		}
		return checkConnection(endpoint);
	}

	@Override
	public void closeConnection(Endpoint endpoint) {
		connections().close(endpoint);
	}

	@Override
	public Object invokeSync(Endpoint endpoint, Object request, @Nullable InvokeContext context, long timeoutMillis)
			throws InterruptedException, RemotingException {
		CompletableFuture<Object> result = new CompletableFuture<>();
		invokeAsync(endpoint, request, context, new InvokeCallback() {

			@Override
			public void complete(@Nullable Object response, @Nullable Throwable failure) {
				if (failure != null) {
					result.completeExceptionally(failure);
				}
				else {
					result.complete(response);
				}
			}

			@Override
			public Executor executor() {
				return Runnable::run;
			}

		}, timeoutMillis);
		try {
			return result.get(timeoutMillis, TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RemotingException failure) {
				throw failure;
			}
			throw new RemotingException("Call to " + endpoint + " failed", ex.getCause());
		}
		catch (TimeoutException ex) {
			throw new InvokeTimeoutException("No response from " + endpoint + " within " + timeoutMillis + " ms");
		}
	}

	@Override
	public void invokeAsync(Endpoint endpoint, Object request, @Nullable InvokeContext context, InvokeCallback callback,
			long timeoutMillis) {
		connections().call(endpoint, new Call(MessageType.ofRequest(request), (Message) request, callback),
				timeoutMillis);
	}

	private PeerConnections connections() {
		PeerConnections connections = this.connections;
		if (connections == null) {
			throw new IllegalStateException("The client is not initialized");
		}
		return connections;
	}

}
