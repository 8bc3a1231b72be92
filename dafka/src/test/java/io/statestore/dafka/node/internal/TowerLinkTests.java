package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.TowerAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Connections to towers that move or violate ZMTP. */
@Timeout(60)
class TowerLinkTests {

	private final GuardedContext context = new GuardedContext("test", Duration.ofSeconds(10), Ticker.SYSTEM, null,
			() -> {
			});

	private final Addresses addresses = new Addresses();

	private final Peers peers = new Peers(
			this.context.socket(SocketType.SUB, SocketLimits.subscriber(1_024, 16)).socket(), new PeerConnections(),
			this.addresses, TimeUnit.MINUTES.toNanos(1), 1_000, 1_000, null, 0);

	private long now;

	@Test
	void receivesBeaconOfTowerThatMoved() throws IOException {
		AtomicReference<String> address = new AtomicReference<>("127.0.0.1");
		try (ServerSocket beacons = PeersTests.listen(); ServerSocket other = PeersTests.listen()) {
			TowerAddress tower = new TowerAddress("tower.invalid", other.getLocalPort(), beacons.getLocalPort());
			try (TowerLink link = link(tower, (host) -> address.get())) {
				await("the connection").until(() -> {
					link.work(this.now);
					return link.connected.contains(endpoint(beacons));
				});
				try (ZmtpClient connection = PeersTests.accept(beacons)) {
					address.set("127.0.0.2");
					connection
						.send(ZmtpClient.message(new Beacons.Sighting(Bytes.of("node"), "tcp://127.0.0.1:1").frames()));
				}
				// There is no other connection.
				beacons.close();
				await("a beacon").until(() -> (link.in.getEvents() & ZMQ.Poller.POLLIN) != 0);
				await("the end of the connection").until(() -> !link.connected.contains(endpoint(beacons)));
				assertThat(this.peers.size()).isZero();
				String moved = "tcp://127.0.0.2:" + beacons.getLocalPort();
				workUntil(link, "the other address", () -> link.in.getLastEndpoint().equals(moved));
				assertThat(this.peers.size()).isOne();
				assertThat(Beacons.receive(link.in)).isNull();
				assertThat(link.in.disconnect(endpoint(beacons))).isFalse();
				assertThat(link.in.disconnect(moved)).isTrue();
			}
		}
	}

	@Test
	void reconnectsToTowerAfterProtocolError() throws IOException {
		try (ServerSocket beacons = PeersTests.listen(); ServerSocket other = PeersTests.listen()) {
			TowerAddress tower = new TowerAddress("127.0.0.1", other.getLocalPort(), beacons.getLocalPort());
			try (TowerLink link = link(tower, HostResolver.SYSTEM)) {
				int lost = PeersTests.violateProtocol(beacons);
				await("the end of the connection").until(() -> link.connected.losses(endpoint(beacons)) == lost);
				workUntil(link, "another connection", () -> link.connected.contains(endpoint(beacons)));
				PeersTests.accept(beacons).close();
			}
		}
	}

	@AfterEach
	void close() {
		this.addresses.close();
		this.context.close();
	}

	private TowerLink link(TowerAddress tower, HostResolver resolver) {
		return new TowerLink(this.context, NodeOptions.builder().tower(tower).build(), 1, this.peers, null, resolver,
				this.now);
	}

	private void workUntil(TowerLink link, String what, BooleanSupplier condition) {
		await(what).until(() -> {
			this.now += TimeUnit.MILLISECONDS.toNanos(100);
			link.work(this.now);
			return condition.getAsBoolean();
		});
	}

	private static String endpoint(ServerSocket server) {
		return "tcp://127.0.0.1:" + server.getLocalPort();
	}

}
