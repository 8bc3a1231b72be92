package io.statestore.cluster;

import com.alipay.sofa.jraft.util.RpcFactoryHelper;
import io.statestore.cluster.transport.ClusterRpcFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A peer must not be able to choose the class that its bytes are parsed as. */
class ClassPathTests {

	@ParameterizedTest
	@ValueSource(strings = { "com.alipay.remoting.rpc.RpcServer", "com.caucho.hessian.io.Hessian2Input",
			"com.alipay.hessian.ClassNameResolver", "org.rocksdb.RocksDB", "com.sun.jna.Native" })
	void excludesJRaftDependencies(String className) {
		assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> Class.forName(className));
	}

	@Test
	void usesOwnTransport() {
		assertThat(RpcFactoryHelper.rpcFactory()).isInstanceOf(ClusterRpcFactory.class);
	}

}
