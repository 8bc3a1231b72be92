package io.statestore.client.mqtt.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.Key;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.time.TimeSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Threads of callers and of continuations. */
@Timeout(30)
class CallsThreadTests extends CallsFixture {

	// A blocking call on the event loop would never complete.
	@Test
	void continuationCanCallAndWait() throws Exception {
		List<CompletableFuture<Response>> futures = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			futures.add(invoke(SET).thenApply((response) -> invoke(GET).join()));
		}
		CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
		assertThat(this.broker.requests).hasSize(200);
	}

	@Test
	void checksDeadlinesNoMoreOftenThanNeeded() {
		List<Duration> delays = new CopyOnWriteArrayList<>();
		AtomicLong now = new AtomicLong();
		ClientResources resources = new ClientResources(timeWithTimer(now, delays));
		this.broker.stop();
		this.connection = new MqttConnection(this.broker.options().build(), resources);
		Calls calls = new Calls(this.connection);
		List<CompletableFuture<Response>> futures = Stream.of("PT10S", "PT20S", "PT0.4S", "PT0.001S")
			.map((timeout) -> calls.invoke(SET, new Options(null, false, Duration.parse(timeout))))
			.toList();
		assertThat(delays).startsWith(Duration.ofSeconds(1))
			.element(1)
			.satisfies((delay) -> assertThat(delay).isBetween(Duration.ofMillis(30), Duration.ofMillis(400)));
		assertThat(delays).element(2).isEqualTo(Duration.ofMillis(20));
		now.addAndGet(Duration.ofMillis(400).toNanos());
		failure(futures.get(3), StateStoreNotSentException.class);
		failure(futures.get(2), StateStoreNotSentException.class);
		assertThat(futures.get(0)).isNotDone();
	}

	/** Returns a time with a timer that records the delays. */
	private static TimeSource timeWithTimer(AtomicLong now, List<Duration> delays) {
		return new TimeSource() {

			@Override
			public long nanoTime() {
				return now.get();
			}

			@Override
			public ScheduledExecutorService timer(ScheduledExecutorService threads) {
				return new ScheduledThreadPoolExecutor(1, ClientResources.daemonThreads("test")) {

					@Override
					public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
						delays.add(Duration.ofNanos(unit.toNanos(delay)));
						return super.schedule(task, delay, unit);
					}

				};
			}

		};
	}

	// A lock held during a continuation could deadlock with a lock of the application.
	@Test
	void failsUnsentCallWithoutHoldingLock() throws Exception {
		this.broker.connAck(MqttProperties.MAXIMUM_PACKET_SIZE, 1000);
		connection();
		this.broker.stop();
		await("the loss").until(() -> !connection().isConnected());
		CompletableFuture<Void> tooLarge = calls().invokeForWaiter(set(10_000), Options.DEFAULT)
			.handle((response, failure) -> {
				assertThat(failure).isInstanceOf(StateStoreInvalidRequestException.class);
				CompletableFuture.supplyAsync(() -> invoke(GET)).orTimeout(30, TimeUnit.SECONDS).join();
				return null;
			});
		this.broker.restart();
		tooLarge.get(60, TimeUnit.SECONDS);
	}

	@Test
	void blockedContinuationsDelayNoReply() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		Runnable answer = holdAnswers();
		List<CompletableFuture<Void>> blocked = new ArrayList<>();
		for (int i = 0; i < ClientResources.REPLY_THREADS - 1; i++) {
			blocked.add(invoke(SET).thenAccept((response) -> {
				try {
					release.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}));
		}
		answer.run();
		assertThat(get(invoke(GET)).reply()).isEqualTo(new Reply.Ok());
		release.countDown();
		CompletableFuture.allOf(blocked.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
	}

	@Test
	void waitingThreadsDoNotDependOnContinuations() throws Exception {
		StateStoreTemplate template = template();
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply("$-1\r\n");
		};
		CountDownLatch release = new CountDownLatch(1);
		Runnable answer = holdAnswers();
		for (int i = 0; i < ClientResources.REPLY_THREADS * 2; i++) {
			template.async().get(Key.of("key"), String.class).thenAccept((entry) -> {
				try {
					release.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			});
		}
		answer.run();
		try {
			CompletableFuture<?> waiter = CompletableFuture.supplyAsync(() -> template.get(Key.of("key"), String.class),
					(task) -> new Thread(task).start());
			assertThat(waiter.get(20, TimeUnit.SECONDS)).isEqualTo(Optional.empty());
		}
		finally {
			release.countDown();
		}
	}

	@Test
	void manyContinuationsCanCallAndWait() throws Exception {
		StateStoreTemplate template = template();
		this.broker.onRequest = (broker, request) -> {
			request.ack(0);
			request.reply("$-1\r\n");
		};
		List<CompletableFuture<?>> futures = new ArrayList<>();
		for (int i = 0; i < 600; i++) {
			boolean blocking = i % 2 == 0;
			futures.add(template.async()
				.get(Key.of("key"), String.class)
				.thenApply((entry) -> blocking ? template.get(Key.of("key"), String.class)
						: template.async().get(Key.of("key"), String.class).join()));
		}
		CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
	}

	@Test
	void completesFuturesOnReplyThreads() throws Exception {
		hold();
		CompletableFuture<String> threadOfReply = invoke(SET).thenApply((response) -> Thread.currentThread().getName());
		CompletableFuture<String> threadOfDeadline = calls()
			.invoke(SET, new Options(null, false, Duration.ofMillis(50)))
			.handle((response, failure) -> Thread.currentThread().getName());
		awaitRequest().reply("+OK\r\n");
		assertThat(threadOfReply.get(10, TimeUnit.SECONDS)).startsWith("statestore-reply");
		assertThat(threadOfDeadline.get(10, TimeUnit.SECONDS)).startsWith("statestore-reply");
	}

	@Test
	void continuationsSeeClassLoaderOfApplication() throws Exception {
		hold();
		CompletableFuture<ClassLoader> classLoader = invoke(SET)
			.thenApply((response) -> Thread.currentThread().getContextClassLoader());
		awaitRequest().reply("+OK\r\n");
		assertThat(classLoader.get(10, TimeUnit.SECONDS)).isSameAs(Calls.class.getClassLoader());
	}

	@Test
	void keepsInterruptFlagOfCaller() throws Exception {
		hold();
		Thread.currentThread().interrupt();
		CompletableFuture<Response> future = invoke(SET);
		assertThat(Thread.interrupted()).isTrue();
		awaitRequest().reply("+OK\r\n");
		assertThat(get(future).reply()).isEqualTo(new Reply.Ok());
	}

	@Test
	void eachThreadReceivesItsOwnReply() throws Exception {
		this.broker.onRequest = (broker, request) -> {
			String key = request.text().split("\r\n")[4];
			request.ack(0);
			request.reply("$" + key.length() + "\r\n" + key + "\r\n");
		};
		Calls calls = calls();
		List<Thread> threads = new ArrayList<>();
		AtomicInteger right = new AtomicInteger();
		for (int t = 0; t < 8; t++) {
			String prefix = "t" + t + '-';
			Thread thread = new Thread(() -> {
				for (int i = 0; i < 250; i++) {
					Bytes key = Bytes.of(prefix + i);
					if (new Reply.Value(key)
						.equals(calls.invoke(new Command.Get(key), Options.DEFAULT).join().reply())) {
						right.incrementAndGet();
					}
				}
			});
			thread.start();
			threads.add(thread);
		}
		for (Thread thread : threads) {
			thread.join(TimeUnit.SECONDS.toMillis(10));
		}
		assertThat(right.get()).isEqualTo(2000);
	}

	/**
	 * Holds replies until the returned task runs. A continuation of a future that is
	 * already complete would run, and block, on the thread of the test.
	 */
	private Runnable holdAnswers() {
		CountDownLatch held = new CountDownLatch(1);
		BiConsumer<FakeBroker, FakeBroker.Request> answer = this.broker.onRequest;
		this.broker.onRequest = (broker, request) -> {
			try {
				held.await(10, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			answer.accept(broker, request);
		};
		return held::countDown;
	}

}
