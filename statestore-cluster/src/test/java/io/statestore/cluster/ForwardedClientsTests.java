package io.statestore.cluster;

import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.CertificateAuthenticator;
import io.statestore.broker.security.CertificateUsernameField;
import io.statestore.broker.conformance.Resp;
import io.statestore.test.RawMqttConnection;
import io.statestore.broker.conformance.StoreClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests clients that are connected to a follower. */
@Timeout(120)
class ForwardedClientsTests {

	/**
	 * Memory limit for clients. A sixteenth of it is for connections that have not sent
	 * CONNECT.
	 */
	private static final long CLIENT_MEMORY = 16 << 20;

	private static final int CLIENTS = 40;

	@TempDir
	private Path directory;

	@Test
	void followerServesAsManyClientsAsItsMemoryPermits() throws Exception {
		List<RawMqttConnection> clients = new ArrayList<>();
		try (BrokerCluster cluster = new BrokerCluster(this.directory,
				(broker) -> broker.limits((limits) -> limits.withClientMemory(CLIENT_MEMORY)))) {
			int port = cluster.broker(cluster.follower()).port();
			for (int i = 0; i < CLIENTS; i++) {
				RawMqttConnection client = new RawMqttConnection(new Socket(), port);
				clients.add(client);
				assertThat(client.connect("client-" + i).reason()).isZero();
			}
			for (RawMqttConnection client : clients) {
				client.ping();
			}
		}
		finally {
			for (RawMqttConnection client : clients) {
				client.close();
			}
		}
	}

	@Test
	void followerCertificateDoesNotLogItsClientsIn() throws Exception {
		try (BrokerCluster cluster = new BrokerCluster(this.directory,
				(broker) -> broker.authenticator(new CertificateAuthenticator(CertificateUsernameField.COMMON_NAME))
					.anonymous(AnonymousAccess.NONE));
				RawMqttConnection client = new RawMqttConnection(cluster.broker(cluster.follower()).port())) {
			assertThat(client.connect("stranger").reason()).isEqualTo(0x86);
		}
	}

	@Test
	void endsForwardedClientsWhenLeaderStops() throws Exception {
		try (BrokerCluster cluster = new BrokerCluster(this.directory, UnaryOperator.identity())) {
			String leader = cluster.leader();
			try (RawMqttConnection client = new RawMqttConnection(cluster.broker(cluster.follower()).port())) {
				assertThat(client.connect("client").reason()).isZero();
				cluster.stop(leader);
				// A DISCONNECT packet comes first, unless the follower already knows the
				// next leader.
				client.readToEnd();
			}
			try (StoreClient client = connected(cluster)) {
				assertThat(Resp.text(client.call("SET", "k", "v"))).isEqualTo("+OK⏎");
			}
		}
	}

	/** Connects to a follower once it forwards clients to the next leader. */
	private static StoreClient connected(BrokerCluster cluster) {
		return BrokerCluster.await()
			// A node that does not know a leader yet refuses or closes the connection.
			.ignoreExceptionsMatching((failure) -> true)
			.until(() -> StoreClient.connect(cluster.broker(cluster.follower()).port(), "next"), Objects::nonNull);
	}

}
