package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import io.statestore.dafka.Ticker;
import io.statestore.dafka.TowerAddress;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Connections to towers that move or violate ZMTP. */
@Timeout(60)
class TowerConnectionsTests {

	private final GuardedContext context = new GuardedContext("test", Duration.ofSeconds(10), Ticker.SYSTEM, null,
			() -> {
			});

	private final PeerConnections connected = new PeerConnections();

	private final ZMQ.Socket out = this.context
		.socket(SocketType.XPUB, SocketLimits.publisher(0), this.connected::changed)
		.socket();

	private final ZMQ.Socket in = this.context
		.socket(SocketType.SUB, SocketLimits.subscriber(1_024, 16), this.connected::changed)
		.socket();

	private final List<List<byte[]>> received = new ArrayList<>();

	private long now;

	@Test
	void receivesBeaconOfTowerThatMoved() throws IOException {
		AtomicReference<String> address = new AtomicReference<>("127.0.0.1");
		try (ServerSocket beacons = PeersTests.listen(); ServerSocket other = PeersTests.listen()) {
			TowerAddress tower = new TowerAddress("tower.invalid", other.getLocalPort(), beacons.getLocalPort());
			try (TowerConnections connections = connections(tower, (host) -> address.get())) {
				await("the connection").until(() -> {
					connections.work(this.now);
					return this.connected.contains(endpoint(beacons));
				});
				try (ZmtpClient connection = PeersTests.accept(beacons)) {
					address.set("127.0.0.2");
					connection
						.send(ZmtpClient.message(List.of(new byte[] { 'B' }, new byte[] { '1' }, new byte[] { '2' })));
				}
				// There is no other connection.
				beacons.close();
				await("a beacon").until(() -> (this.in.getEvents() & ZMQ.Poller.POLLIN) != 0);
				await("the end of the connection").until(() -> !this.connected.contains(endpoint(beacons)));
				String moved = "tcp://127.0.0.2:" + beacons.getLocalPort();
				workUntil(connections, "the other address", () -> this.in.getLastEndpoint().equals(moved));
				assertThat(this.received).singleElement().asInstanceOf(InstanceOfAssertFactories.LIST).hasSize(3);
				assertThat(Beacons.receive(this.in)).isNull();
				assertThat(this.in.disconnect(endpoint(beacons))).isFalse();
				assertThat(this.in.disconnect(moved)).isTrue();
			}
		}
	}

	@Test
	void reconnectsToTowerAfterProtocolError() throws IOException {
		try (ServerSocket beacons = PeersTests.listen(); ServerSocket other = PeersTests.listen()) {
			TowerAddress tower = new TowerAddress("127.0.0.1", other.getLocalPort(), beacons.getLocalPort());
			try (TowerConnections connections = connections(tower, HostResolver.SYSTEM)) {
				int lost = PeersTests.violateProtocol(beacons);
				await("the end of the connection").until(() -> this.connected.losses(endpoint(beacons)) == lost);
				workUntil(connections, "another connection", () -> {
					return this.connected.contains(endpoint(beacons));
				});
				PeersTests.accept(beacons).close();
			}
		}
	}

	@AfterEach
	void close() {
		this.context.close();
	}

	private TowerConnections connections(TowerAddress tower, HostResolver resolver) {
		this.in.subscribe("B");
		return new TowerConnections(List.of(tower), this.out, this.in, this.connected, null, resolver, this.now);
	}

	private void workUntil(TowerConnections connections, String what, BooleanSupplier condition) {
		await(what).until(() -> {
			this.now += TimeUnit.MILLISECONDS.toNanos(100);
			List<byte[]> message = Beacons.receive(this.in);
			if (message != null) {
				this.received.add(message);
			}
			connections.work(this.now);
			return condition.getAsBoolean();
		});
	}

	private static String endpoint(ServerSocket server) {
		return "tcp://127.0.0.1:" + server.getLocalPort();
	}

}
