package io.statestore.broker.mqtt;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import io.statestore.test.TestRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients with sessions that publish and receive QoS 1 and 2 messages while the broker
 * ends several times. Sessions and acknowledged messages must not be lost, QoS 2 messages
 * must not be repeated, and each publisher's messages must stay in order unless the
 * broker refuses some.
 */
abstract class TrafficTest {

	private static final int PUBLISHERS = 3;

	/** Maximum number of messages before the broker ends. */
	private static final int PER_ROUND = 1_000;

	final Random random = TestRandom.create(getClass());

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final List<Future<Void>> running = new ArrayList<>();

	private final List<NumberedPublisher> publishers = IntStream.range(0, PUBLISHERS)
		.mapToObj((i) -> new NumberedPublisher("publisher" + i, this::port, isFaulty()))
		.toList();

	/** Connected whenever the broker is running. */
	private final NumberedSubscriber present = new NumberedSubscriber("present", this::port, isFaulty());

	/** Absent in every other round, when its session queues messages. */
	private final NumberedSubscriber returning = new NumberedSubscriber("returning", this::port, isFaulty());

	private volatile int port;

	private int port() {
		return this.port;
	}

	/** Starts the broker and returns its port. */
	abstract int start() throws Exception;

	/** Ends the broker in some way. */
	abstract void end() throws Exception;

	/** Returns whether the broker may refuse connections and messages. */
	boolean isFaulty() {
		return false;
	}

	/** Called repeatedly while the broker is running. */
	void disturb() throws Exception {
	}

	/** Returns how many times the broker ends. */
	abstract int rounds();

	@AfterEach
	void stop() throws Exception {
		this.port = 0;
		this.threads.shutdownNow();
		end();
	}

	@Test
	@Timeout(1_800)
	void losesAndRepeatsNoMessage() throws Exception {
		this.port = start();
		for (NumberedSubscriber subscriber : List.of(this.present, this.returning)) {
			subscriber.subscribe("+/+");
			run(subscriber);
		}
		this.publishers.forEach(this::run);
		for (int i = 0; i < rounds(); i++) {
			this.returning.setAbsent(i % 2 == 0);
			for (int part = 0; part < 2; part++) {
				int enough = acknowledged() + this.random.nextInt(PER_ROUND / 2);
				awaitUntil("messages", () -> acknowledged() >= enough);
				disturb();
			}
			this.port = 0;
			end();
			this.port = start();
		}
		this.returning.setAbsent(false);
		this.publishers.forEach(NumberedPublisher::stop);
		awaitUntil("acknowledgments", () -> this.running.stream().filter(Future::isDone).count() == PUBLISHERS);
		for (NumberedSubscriber subscriber : List.of(this.present, this.returning)) {
			awaitUntil("all messages", () -> hasReceivedAll(subscriber));
			subscriber.stop();
		}
		for (Future<Void> client : this.running) {
			client.get(30, TimeUnit.SECONDS);
		}
		System.out.printf(
				"%d ends: %d messages acknowledged, none lost, none of QoS 2 repeated, %d sessions continued; "
						+ "repeated messages of QoS 1: %d%n",
				rounds(), acknowledged(), this.present.resumed() + this.returning.resumed(),
				this.present.repeated() + this.returning.repeated());
	}

	private void run(Callable<Void> client) {
		this.running.add(this.threads.submit(client));
	}

	private int acknowledged() {
		return this.publishers.stream().mapToInt(NumberedPublisher::acknowledged).sum();
	}

	private boolean hasReceivedAll(NumberedSubscriber subscriber) {
		return this.publishers.stream()
			.allMatch((publisher) -> IntStream.of(1, 2)
				.allMatch((qos) -> subscriber.hasReceived(publisher.topic(qos), publisher.accepted(qos))));
	}

	/** Waits for a condition. Fails if a client fails. */
	private void awaitUntil(String what, BooleanSupplier condition) throws Exception {
		await(what).atMost(60, TimeUnit.SECONDS).until(() -> condition.getAsBoolean() || hasFailed());
		for (Future<Void> client : this.running) {
			if (client.isDone()) {
				client.get();
			}
		}
	}

	private boolean hasFailed() {
		return this.running.stream().anyMatch((client) -> client.isDone() && failed(client));
	}

	private static boolean failed(Future<Void> client) {
		try {
			client.get();
			return false;
		}
		catch (Exception ex) {
			return true;
		}
	}

}
