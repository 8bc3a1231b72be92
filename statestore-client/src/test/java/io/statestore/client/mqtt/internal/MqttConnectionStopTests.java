package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Stops and restarts, and the threads that they leave. */
@Timeout(30)
@Isolated("captures the log")
class MqttConnectionStopTests extends ConnectionFixture {

	@Test
	void stopSendsDisconnect() {
		MqttConnection connection = connection();
		connection.start();
		long before = System.nanoTime();
		connection.stop();
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(8));
		await("DISCONNECT").until(() -> this.broker.disconnects.get() == 1);
		assertThat(connection.isConnected()).isFalse();
		assertThat(connection.isRunning()).isFalse();
		assertThat(this.log.contains("Lost connection")).isFalse();
		connection.stop();
	}

	@Test
	void stopEndsThreadsIfBrokerDoesNotRead() throws Exception {
		MqttConnection connection = connection();
		Calls calls = new Calls(connection);
		connection.start();
		CountDownLatch release = new CountDownLatch(1);
		this.broker.onRequest = (broker, request) -> {
			try {
				release.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		};
		try {
			for (int i = 0; i < 10; i++) {
				calls.invoke(new Command.Set(Bytes.of("key"), Bytes.wrap(new byte[4 * 1024 * 1024])), Options.DEFAULT);
			}
			await("the first request").until(() -> !this.broker.requests.isEmpty());
			long begin = System.nanoTime();
			connection.stop();
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(8));
			awaitNoThreads();
		}
		finally {
			release.countDown();
		}
	}

	@Test
	void stopIsQuickWithoutBroker() {
		this.broker.stop();
		MqttConnection connection = connection(this.broker.options()
			.startTimeout(Duration.ZERO)
			.reconnectDelay(Duration.ofMinutes(1), Duration.ofMinutes(1)));
		connection.start();
		await("a failed attempt").until(() -> this.log.contains("attempt 1;"));
		long before = System.nanoTime();
		connection.stop();
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(8));
	}

	@Test
	void startsAgainAfterStop() throws Exception {
		MqttConnection connection = connection();
		Calls calls = new Calls(connection);
		for (int i = 1; i <= 3; i++) {
			connection.start();
			calls.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS);
			connection.stop();
			assertThat(this.broker.connects).hasSize(i);
		}
	}

	@Test
	void startWaitsForStopInProgress() throws Exception {
		MqttConnection connection = connection(this.broker.options().startTimeout(Duration.ZERO));
		Calls calls = new Calls(connection);
		CountDownLatch stopping = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		connection.addListener(new ConnectionListener() {

			@Override
			public void stopping() {
				stopping.countDown();
				try {
					goOn.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}

		});
		connection.start();
		await("a connection").until(connection::isConnected);
		Thread stopper = new Thread(connection::stop);
		stopper.start();
		stopping.await();
		connection.start();
		await("the second to wait for the first").until(() -> threads().stream()
			.anyMatch(
					(thread) -> thread.getName().startsWith("statestore-connection") && List.of(thread.getStackTrace())
						.stream()
						.anyMatch((frame) -> frame.getMethodName().equals("join"))));
		assertThat(this.broker.connects).hasSize(1);
		goOn.countDown();
		stopper.join();
		await("a new connection").until(() -> this.broker.connects.size() == 2 && connection.isConnected());
		calls.invoke(new Command.Get(Bytes.of("key")), Options.DEFAULT).get(10, TimeUnit.SECONDS);
	}

	@Test
	void startKeepsInterruptFlag() {
		MqttConnection connection = connection();
		Thread.currentThread().interrupt();
		connection.start();
		assertThat(Thread.interrupted()).isTrue();
		await("the connection").until(connection::isConnected);
	}

	@Tag("long")
	@Test
	void leavesNoThreadsIfServerClosesAtOnce() {
		this.broker.acceptConnections = false;
		MqttConnection connection = connection(this.broker.options()
			.startTimeout(Duration.ZERO)
			.reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(1)));
		connection.start();
		await("10 failed attempts").until(() -> this.log.contains("attempt 10;"));
		connection.stop();
		awaitNoThreads();
	}

	@Test
	void leavesNoThreadsAfterRefusedConnects() {
		this.broker.stop();
		MqttConnection connection = connection(this.broker.options()
			.startTimeout(Duration.ZERO)
			.reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(1)));
		connection.start();
		await("50 failed attempts").until(() -> this.log.contains("attempt 50;"));
		connection.stop();
		awaitNoThreads();
	}

	@Tag("long")
	@Test
	void leavesNoThreadsAfterLosses() {
		MqttConnection connection = connection();
		new Calls(connection);
		connection.start();
		for (int i = 2; i <= 6; i++) {
			int expected = i;
			this.broker.drop();
			await("connection " + i).until(() -> this.broker.connects.size() == expected && connection.isConnected());
		}
		assertThat(threads().stream().filter((thread) -> thread.getName().startsWith("statestore-mqtt"))).hasSize(1);
		assertThat(this.broker.connectionCount()).isEqualTo(1);
		connection.stop();
		awaitNoThreads();
	}

	@Test
	void usesDaemonThreadsOnly() throws Exception {
		MqttConnection connection = connection(this.broker.options().keepAlive(Duration.ofSeconds(1)));
		Calls calls = new Calls(connection);
		connection.start();
		calls.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS);
		assertThat(threads()).hasSizeGreaterThan(2).allMatch(Thread::isDaemon);
	}

}
