package io.statestore.broker.mqtt;

import java.nio.ByteBuffer;
import java.nio.file.Path;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

import io.statestore.broker.certificates.TestCertificates;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class TlsFailureTests {

	private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

	private static final byte[] UNKNOWN_CA = { 21, 3, 3, 0, 2, 2, 48 };

	/** OpenSSL does not encrypt the alert with which it rejects a certificate. */
	@Test
	void recognizesUnencryptedAlert(@TempDir Path directory) throws Exception {
		TestCertificates certificates = new TestCertificates(directory);
		SSLEngine client = engine(certificates.trust(), true);
		SSLEngine server = engine(certificates.server().newContext(), false);
		ByteBuffer hello = ByteBuffer.allocate(70_000);
		client.wrap(NOTHING, hello);
		server.unwrap(hello.flip(), ByteBuffer.allocate(70_000));
		runTasks(server);
		while (server.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
			server.wrap(NOTHING, ByteBuffer.allocate(70_000));
			runTasks(server);
		}

		SSLException refused = catchThrowableOfType(SSLException.class,
				() -> server.unwrap(ByteBuffer.wrap(UNKNOWN_CA), ByteBuffer.allocate(70_000)));

		assertThat(TlsFailure.of(refused)).isEqualTo(TlsFailure.REJECTED);
		assertThat(TlsFailure.reason(refused)).isEqualTo("an alert that is not encrypted");
	}

	private static SSLEngine engine(SSLContext context, boolean client) {
		SSLEngine engine = context.createSSLEngine("localhost", 8883);
		engine.setUseClientMode(client);
		return engine;
	}

	private static void runTasks(SSLEngine engine) {
		while (engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
			engine.getDelegatedTask().run();
		}
	}

}
