package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
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

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Connections to towers that move or violate ZMTP. */
@Timeout(60)
class TowerLinkTests {

	private final Transport transport = new Transport("test", Duration.ofSeconds(10), Ticker.SYSTEM, null);

	private final Peers peers = new Peers(
			new Subscriber(this.transport, "SUB", SocketLimits.subscriber(1_024, 0), List.of()),
			TimeUnit.MINUTES.toNanos(1), 1_000, null, 0);

	private long now;

	@Test
	void receivesBeaconFromMovedTower() throws IOException {
		AtomicReference<String> address = new AtomicReference<>("127.0.0.1");
		this.transport.resolver = (host) -> address.get();
		try (ServerSocket beacons = PeersTests.listen(); ServerSocket other = PeersTests.listen()) {
			TowerLink link = link("tower.invalid", beacons, other);
			try (ZmtpClient connection = PeersTests.accept(beacons)) {
				workUntil(link, "the handshake",
						() -> link.in.isConnected("tcp://tower.invalid:" + beacons.getLocalPort()));
				address.set("127.0.0.2");
				connection
					.send(ZmtpClient.message(new Beacons.Sighting(Bytes.of("node"), "tcp://127.0.0.1:1").frames()));
			}
			// The node must not open another connection.
			beacons.close();
			workUntil(link, "the beacon", () -> this.peers.size() == 1);
			try (ServerSocket moved = new ServerSocket(beacons.getLocalPort(), 50,
					InetAddress.getByName("127.0.0.2"))) {
				moved.setSoTimeout(30_000);
				PeersTests.accept(moved).close();
			}
		}
	}

	@Test
	void reconnectsToTowerAfterProtocolError() throws IOException {
		try (ServerSocket beacons = PeersTests.listen(); ServerSocket other = PeersTests.listen()) {
			link("127.0.0.1", beacons, other);
			PeersTests.violateProtocol(beacons);
			PeersTests.accept(beacons).close();
		}
	}

	@AfterEach
	void close() {
		this.transport.close();
	}

	private TowerLink link(String host, ServerSocket beacons, ServerSocket other) {
		TowerAddress tower = new TowerAddress(host, other.getLocalPort(), beacons.getLocalPort());
		return new TowerLink(this.transport, NodeOptions.builder().tower(tower).build(), 1, this.peers, this.now);
	}

	private void workUntil(TowerLink link, String what, BooleanSupplier condition) {
		await(what).until(() -> {
			this.now += TimeUnit.MILLISECONDS.toNanos(100);
			return this.transport.loop.submit(() -> {
				link.work(this.now);
				return condition.getAsBoolean();
			}).get();
		});
	}

	private void call(Runnable task) {
		this.transport.loop.submit(task).syncUninterruptibly();
	}

}
