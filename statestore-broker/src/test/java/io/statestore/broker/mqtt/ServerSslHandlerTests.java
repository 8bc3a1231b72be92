package io.statestore.broker.mqtt;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;

import javax.net.ssl.SSLEngine;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.statestore.broker.certificates.TestCertificates;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

class ServerSslHandlerTests {

	@Test
	void ignoresFailureAfterConnectionEnds(@TempDir Path directory) throws Exception {
		TestCertificates certificates = new TestCertificates(directory);
		SSLEngine client = certificates.trust().createSSLEngine("localhost", 8883);
		client.setUseClientMode(true);
		client.setEnabledProtocols(new String[] { "TLSv1.2" });
		// The server's certificate does not have an RSA key.
		client.setEnabledCipherSuites(new String[] { "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256" });
		SSLEngine server = certificates.server().newContext().createSSLEngine();
		server.setUseClientMode(false);
		Queue<Runnable> tasks = new ArrayDeque<>();
		EmbeddedChannel channel = new EmbeddedChannel(new ServerSslHandler(server, tasks::add));
		ByteBuffer hello = ByteBuffer.allocate(70_000);
		client.wrap(ByteBuffer.allocate(0), hello);
		channel.writeInbound(Unpooled.wrappedBuffer(hello.flip()));
		assertThat(tasks).hasSize(1);

		channel.close();
		tasks.remove().run();
		channel.runPendingTasks();

		assertThatNoException().isThrownBy(channel::checkException);
	}

}
