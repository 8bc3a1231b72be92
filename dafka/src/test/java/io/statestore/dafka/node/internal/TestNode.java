package io.statestore.dafka.node.internal;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.TowerAddress;

/** Node with a {@link RecordingMachine}. */
final class TestNode implements AutoCloseable {

	final RecordingMachine machine;

	final Node<RecordingMachine> node;

	TestNode(TowerAddress... towers) {
		this(HostResolver.SYSTEM, 1, towers);
	}

	/**
	 * Creates a node whose time passes faster, except for beacons and peer timeouts.
	 */
	TestNode(HostResolver resolver, int speed, TowerAddress... towers) {
		AtomicReference<RecordingMachine> made = new AtomicReference<>();
		NodeOptions.Builder options = NodeOptions.builder()
			.bindHost("127.0.0.1")
			.beaconInterval(Duration.ofMillis(20).multipliedBy(speed))
			.peerTimeout(Duration.ofMillis(100).multipliedBy(speed))
			.linger(Duration.ofSeconds(5))
			.ticker((speed == 1) ? Ticker.SYSTEM : () -> System.nanoTime() * speed);
		for (TowerAddress tower : towers) {
			options.tower(tower);
		}
		this.node = new Node<>("test-node", options.build(), (output) -> {
			made.set(new RecordingMachine(output));
			return made.get();
		}, resolver);
		this.machine = Objects.requireNonNull(made.get());
	}

	void send(String header) {
		this.machine.send(header);
		this.node.wake();
	}

	int peers() {
		return this.node.metrics().peers();
	}

	@Override
	public void close() {
		this.node.close();
	}

}
