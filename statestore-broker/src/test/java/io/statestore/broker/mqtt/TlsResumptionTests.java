package io.statestore.broker.mqtt;

import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import javax.net.ssl.SSLContext;

import io.statestore.broker.certificates.TestCertificates;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.CertificateAuthenticator;
import io.statestore.broker.security.CertificateUsernameField;
import io.statestore.broker.security.ServerTls;
import io.statestore.broker.security.ServerTls.ClientAuth;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Resumed TLS sessions, in which the client's certificate is not verified. */
@Timeout(60)
class TlsResumptionTests {

	private static final int CONNACK = 0x20;

	private final EchoServer server = new EchoServer();

	@Test
	void refusesPacketsFromClientWithExpiredCertificate(@TempDir Path directory) throws Exception {
		TestCertificates certificates = new TestCertificates(directory);
		MqttSecurity security = new MqttSecurity(
				List.of(new CertificateAuthenticator(CertificateUsernameField.COMMON_NAME)), AnonymousAccess.NONE,
				MqttSecurity.NONE.authorizer());
		NetworkSettings network = NetworkSettings.DEFAULT
			.withTls(ServerTls.ofPem(certificates.server(), ClientAuth.NEED));
		try (MqttBroker broker = MqttBroker.start(
				new MqttBrokerSettings("localhost", 0, 10_000).withSecurity(security).withNetwork(network), this.server,
				MemoryBudget.unlimited());
				RawMqttConnection watcher = new RawMqttConnection(
						certificates.client("watcher").newContext().getSocketFactory().createSocket(), broker.port())) {
			watcher.connect("watcher");
			watcher.subscribed("alarms/#", 1);
			Instant end = Instant.now().plusSeconds(3).truncatedTo(ChronoUnit.SECONDS);
			SSLContext context = certificates.client("press", end).newContext();
			EarlyTlsClient client = new EarlyTlsClient(context, broker.port());
			assertThat(client.exchange(packets(watcher, "valid"), 1)).startsWith(CONNACK);
			assertThat(watcher.receivePublish().text()).isEqualTo("valid");
			await("expiry").until(() -> Instant.now().isAfter(end));
			for (int i = 0; i < 3; i++) {
				assertThat(client.exchange(packets(watcher, "expired"), 1)).isEmpty();
			}
			await("the end of the connections").until(() -> broker.connections().open() == 1);
			assertThat(broker.connections().tlsFailures()).isEqualTo(3);
			// The packets do not arrive at all.
			assertThat(broker.logins().accepted()).isEqualTo(2);
			assertThat(broker.logins().refused()).isZero();
			assertThat(this.server.events).containsExactly("+watcher", "+press", "-press");
			watcher.ping();
		}
	}

	private static byte[] packets(RawMqttConnection encoder, String text) {
		RawPacket connect = RawConnect.of("press");
		RawPublish publish = encoder.publish("alarms/1", 0, text);
		return encoder.encode(connect, publish);
	}

}
