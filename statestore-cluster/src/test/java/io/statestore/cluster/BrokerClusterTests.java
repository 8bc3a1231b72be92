package io.statestore.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import javax.net.ssl.SSLContext;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.certificates.TestCertificates;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.security.CertificateAuthenticator;
import io.statestore.broker.security.CertificateUsernameField;
import io.statestore.broker.security.ServerTls;
import io.statestore.broker.security.ServerTls.ClientAuth;
import io.statestore.test.CapturedLog;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import ch.qos.logback.classic.Level;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests three brokers of a cluster, whose clients log in with certificates. The leader
 * checks the certificates of a follower's clients.
 */
@Timeout(120)
@TestMethodOrder(OrderAnnotation.class)
@Isolated("captures the log")
class BrokerClusterTests {

	private static final int MAX_CONNECTIONS = 20;

	@TempDir
	private static Path directory;

	private static TestCertificates certificates;

	private static SSLContext press;

	private static BrokerCluster cluster;

	@BeforeAll
	static void start() throws Exception {
		certificates = new TestCertificates(directory.resolve("certs"));
		press = certificates.client("press-1").newContext();
		cluster = new BrokerCluster(directory,
				(builder) -> builder.tls(ServerTls.ofPem(certificates.server(), ClientAuth.WANT))
					.authenticator(new CertificateAuthenticator(CertificateUsernameField.COMMON_NAME))
					.anonymous(AnonymousAccess.NONE)
					.maxConnectionsPerAddress(MAX_CONNECTIONS));
	}

	@AfterAll
	static void stop() {
		if (cluster != null) {
			cluster.close();
		}
	}

	/**
	 * Connects, even right after a change of leadership that a node may not have noticed.
	 */
	private static StoreClient client(StateStoreBroker broker, String clientId) {
		RawMqttConnection.useTls(broker.port(), press.getSocketFactory());
		try {
			return BrokerCluster.await()
				.ignoreExceptionsInstanceOf(UncheckedIOException.class)
				.until(() -> StoreClient.connect(broker.port(), clientId), Objects::nonNull);
		}
		finally {
			RawMqttConnection.useTcp(broker.port());
		}
	}

	private static RawMqttConnection connection(StateStoreBroker broker, SSLContext context) throws IOException {
		return new RawMqttConnection(context.getSocketFactory().createSocket(), broker.port());
	}

	@Order(1)
	@Test
	void everyNodeServesEveryClient() {
		for (StateStoreBroker writer : cluster.brokers()) {
			try (StoreClient client = client(writer, "writer")) {
				assertThat(Resp.text(client.call("SET", "k", "v" + writer.port()))).isEqualTo("+OK⏎");
			}
			for (StateStoreBroker reader : cluster.brokers()) {
				try (StoreClient client = client(reader, "reader")) {
					assertThat(Resp.text(client.call("GET", "k"))).contains("v" + writer.port());
				}
			}
		}
	}

	@Order(2)
	@Test
	void clientOfFollowerIsNotifiedOfWriteThroughAnotherNode() {
		List<StateStoreBroker> brokers = cluster.brokers();
		try (StoreClient watcher = client(brokers.get(0), "watcher");
				StoreClient writer = client(brokers.get(1), "writer")) {
			watcher.watch("watched");
			writer.call("SET", "watched", "v");
			assertThat(watcher.notification("watched").payload).isNotEmpty();
		}
	}

	@Order(3)
	@Test
	void leaderVerifiesCertificateThroughFollower() throws Exception {
		StateStoreBroker follower = cluster.broker(cluster.follower());
		try (CapturedLog log = new CapturedLog(AuditLog.LOGGER, Level.INFO);
				RawMqttConnection known = connection(follower, press);
				RawMqttConnection unknown = connection(follower, certificates.trust())) {
			assertThat(known.connect("known").reason()).isZero();
			assertThat(unknown.connect("unknown").reason()).isEqualTo(0x86);
			assertThat(log.messages()).anyMatch(
					(line) -> line.startsWith("event=login principal=\"press-1\" client=\"known\" address=127.0.0.1"));
		}
	}

	@Order(4)
	@Test
	void limitsConnectionsPerAddressThroughFollower() throws Exception {
		StateStoreBroker follower = cluster.broker(cluster.follower());
		List<RawMqttConnection> clients = new ArrayList<>();
		try {
			for (int i = 0; i < MAX_CONNECTIONS; i++) {
				RawMqttConnection client = connection(follower, press);
				clients.add(client);
				assertThat(client.connect("many-" + i).reason()).isZero();
			}
			for (StateStoreBroker broker : cluster.brokers()) {
				assertThat(isRefused(broker)).as("all connections are of one address").isTrue();
			}
		}
		finally {
			for (RawMqttConnection client : clients) {
				client.close();
			}
		}
		BrokerCluster.await().until(() -> !isRefused(follower));
	}

	private static boolean isRefused(StateStoreBroker broker) {
		try (RawMqttConnection client = connection(broker, press)) {
			return client.connect("next").reason() != 0;
		}
		catch (IOException | AssertionError ex) {
			return true;
		}
	}

	@Order(5)
	@Test
	void transferredLeadershipMovesClients() {
		String leader = cluster.leader();
		String next = cluster.follower();
		StoreClient client = client(cluster.broker(leader), "moved");
		client.call("SET", "moved", "1");
		cluster.broker(leader).transferLeadership(next);
		client.mqtt().awaitEnd();
		BrokerCluster.await().until(() -> cluster.leader().equals(next));
		cluster.awaitReady();
		for (StateStoreBroker broker : cluster.brokers()) {
			try (StoreClient again = client(broker, "moved")) {
				assertThat(Resp.text(again.call("GET", "moved"))).contains("1");
			}
		}
		assertThat(cluster.broker(leader).leadership()).hasValueSatisfying((leadership) -> {
			assertThat(leadership.leading()).isFalse();
			assertThat(leadership.leader()).isEqualTo(next);
		});
	}

	@Order(6)
	@Test
	void refusesImpossibleTransfer() {
		assertThatIllegalStateException()
			.isThrownBy(() -> cluster.broker(cluster.follower()).transferLeadership(cluster.leader()));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> cluster.broker(cluster.leader()).transferLeadership("other"))
			.withMessageContainingAll("'other'", "[a, b, c]");
	}

	@Order(7)
	@Test
	void stoppedLeaderHandsOverAndReturns() {
		String leader = cluster.leader();
		StoreClient client = client(cluster.broker(cluster.follower()), "behind-follower");
		client.call("SET", "kept", "1");
		cluster.stop(leader);
		client.mqtt().awaitEnd();
		cluster.awaitReady();
		try (StoreClient again = client(cluster.brokers().get(0), "behind-follower")) {
			assertThat(Resp.text(again.call("GET", "kept"))).contains("1");
			again.call("SET", "kept", "2");
		}
		cluster.start(leader, InitialState.EXISTING);
		cluster.awaitReady();
		try (StoreClient again = client(cluster.broker(leader), "returned")) {
			assertThat(Resp.text(again.call("GET", "kept"))).contains("2");
		}
	}

	@Order(8)
	@Test
	void nodeWithoutMajorityServesNothing() throws Exception {
		String last = cluster.follower();
		for (String name : List.of("a", "b", "c")) {
			if (!name.equals(last)) {
				cluster.stop(name);
			}
		}
		BrokerCluster.await().until(() -> !cluster.broker(last).isReady());
		BrokerCluster.await().until(() -> isRefused(cluster.broker(last)));
	}

}
