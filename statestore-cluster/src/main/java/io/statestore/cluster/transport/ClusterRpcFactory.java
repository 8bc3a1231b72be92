package io.statestore.cluster.transport;

import com.alipay.sofa.jraft.rpc.RaftRpcFactory;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.rpc.RpcServer;
import com.alipay.sofa.jraft.util.Endpoint;
import com.alipay.sofa.jraft.util.SPI;
import org.jspecify.annotations.Nullable;

/**
 * Makes JRaft use {@link PeerTransport}. JRaft loads this class as a service provider.
 */
@SPI(name = "statestore", priority = 100)
public final class ClusterRpcFactory implements RaftRpcFactory {

	/** Creates a factory. */
	public ClusterRpcFactory() {
	}

	@Override
	public void registerProtobufSerializer(String className, Object... arguments) {
		// Nothing to register, because MessageType lists all messages.
	}

	@Override
	public RpcClient createRpcClient(@Nullable ConfigHelper<RpcClient> helper) {
		return new PeerClient();
	}

	@Override
	public RpcServer createRpcServer(Endpoint endpoint, @Nullable ConfigHelper<RpcServer> helper) {
		throw new UnsupportedOperationException("PeerTransport listens itself");
	}

}
