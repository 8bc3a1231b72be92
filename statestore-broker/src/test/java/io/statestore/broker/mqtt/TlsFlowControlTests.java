package io.statestore.broker.mqtt;

import java.nio.file.Path;

import javax.net.ssl.SSLContext;

import io.statestore.broker.certificates.TestCertificates;
import io.statestore.broker.security.ServerTls;
import io.statestore.broker.security.ServerTls.ClientAuth;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** {@link FlowControlTests} over TLS. */
@Tag("long")
@Tag("nightly")
class TlsFlowControlTests extends FlowControlTests {

	private static ServerTls tls;

	private static SSLContext trust;

	@BeforeAll
	static void createCertificates(@TempDir Path directory) throws Exception {
		TestCertificates certificates = new TestCertificates(directory);
		tls = ServerTls.ofPem(certificates.server(), ClientAuth.NONE);
		trust = certificates.trust();
	}

	@Override
	protected MqttBrokerSettings settings() {
		return super.settings().withNetwork(NetworkSettings.DEFAULT.withTls(tls));
	}

	@BeforeEach
	void useTls() {
		RawMqttConnection.useTls(this.broker.port(), trust.getSocketFactory());
	}

	@AfterEach
	void useTcp() {
		RawMqttConnection.useTcp(this.broker.port());
	}

}
