package io.statestore.dafka.endtoend;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.spring.DafkaTemplate;
import io.statestore.dafka.spring.listener.DafkaConsumerFactory;
import io.statestore.dafka.spring.listener.DafkaErrorHandler;
import io.statestore.dafka.spring.listener.DafkaErrorHandler.Action;
import io.statestore.dafka.spring.listener.DafkaListener;
import io.statestore.dafka.spring.listener.DafkaListenerEndpoint;
import io.statestore.dafka.spring.listener.DafkaListenerOptions;
import io.statestore.dafka.spring.listener.DafkaListenerRegistry;
import io.statestore.dafka.spring.listener.EnableDafka;
import io.statestore.dafka.spring.metrics.DafkaMetrics;
import io.statestore.dafka.store.Store;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** Offsets and threads of listeners that stop, retry, or are slow. */
@Timeout(120)
class SpringListenerStopTests {

	private final Cluster cluster = new Cluster();

	private final Store store = this.cluster.store().start();

	private final Producer producer = this.cluster.producer().start();

	private final DafkaTemplate template = new DafkaTemplate(() -> this.producer, null);

	private final OffsetStore offsets = OffsetStore.memory();

	private final TopicPartition partition = new TopicPartition("texts", this.producer.address());

	private @Nullable AnnotationConfigApplicationContext context;

	@AfterEach
	void close() {
		if (this.context != null) {
			this.context.close();
		}
		this.producer.close();
		this.store.close();
		this.cluster.close();
	}

	@Test
	void savesHandledRecordsWhenStoppedDuringRetry() throws Exception {
		Texts texts = start(Texts.class, (failure) -> Action.retryAfter(Duration.ofHours(1)));
		texts.bad = Set.of("2");
		send("0", "1", "2", "3");
		assertThat(texts.take(3)).containsExactly("0", "1", "2");
		long start = System.nanoTime();
		registry().stop("texts");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(9));
		assertThat(this.offsets.load()).isEqualTo(Map.of(this.partition, 2L));
		texts.bad = Set.of();
		registry().start("texts");
		assertThat(texts.take(2)).containsExactly("2", "3");
	}

	@Test
	void savesHandledPartOfBatchThatStops() throws Exception {
		send("0", "1", new byte[] { -1 }, "3", "4");
		Batches batches = start(Batches.class, DafkaErrorHandler.stop());
		await("stopped").until(() -> !endpoint("batches").isRunning());
		await("saved").until(() -> this.offsets.load().equals(Map.of(this.partition, 2L)));
		assertThat(batches.got).containsExactly("0", "1");
		assertThat(endpoint("batches").metrics().records()).isEqualTo(2);
		assertThat(endpoint("batches").failure()).isNotNull();
		registry().start("batches");
		await("stopped again").until(() -> !endpoint("batches").isRunning());
		assertThat(batches.got).containsExactly("0", "1");
	}

	@Test
	void retriesTheSameBatch() {
		List<List<Long>> failed = new CopyOnWriteArrayList<>();
		CountDownLatch twice = new CountDownLatch(2);
		Batches batches = start(Batches.class, (failure) -> {
			failed.add(failure.records().stream().map((record) -> record.offset()).toList());
			twice.countDown();
			return (failure.attempt() < 3) ? Action.retryAfter(Duration.ofMillis(50)) : Action.SKIP;
		});
		batches.failing = true;
		send("0", "1");
		awaitLatch(twice);
		send("2", "3");
		await("three attempts").until(() -> failed.size() >= 3);
		batches.failing = false;
		assertThat(failed.get(1)).isEqualTo(failed.get(0));
		assertThat(failed.get(2)).isEqualTo(failed.get(0));
		await("the rest").until(() -> endpoint("batches").metrics().records() == 4);
	}

	@Test
	void stopKeepsRecordsInFlightForTheNextStart() throws Exception {
		CountDownLatch go = new CountDownLatch(1);
		Texts texts = start(Texts.class, DafkaErrorHandler.skip());
		texts.then = () -> awaitLatch(go);
		List<String> sent = IntStream.range(0, 20).mapToObj(String::valueOf).toList();
		send(sent.toArray());
		assertThat(texts.take(1)).containsExactly("0");
		CompletableFuture<Void> stop = CompletableFuture.runAsync(() -> registry().stop("texts"));
		await("stopping").until(() -> !endpoint("texts").isRunning());
		go.countDown();
		assertThat(stop).succeedsWithin(Duration.ofSeconds(30));
		assertThat(this.offsets.load()).isEqualTo(Map.of(this.partition, 1L));
		assertThat(texts.got).isEmpty();
		registry().start("texts");
		assertThat(texts.take(19)).isEqualTo(sent.subList(1, 20));
	}

	@Test
	void stopReturnsAfterTimeoutWhenListenerHangs() throws Exception {
		CountDownLatch go = new CountDownLatch(1);
		Texts texts = start(Texts.class, DafkaErrorHandler.skip(), Duration.ofMillis(100));
		texts.then = () -> awaitLatch(go);
		send("0", "1");
		assertThat(texts.take(1)).containsExactly("0");
		long start = System.nanoTime();
		registry().stop("texts");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(100),
				Duration.ofSeconds(9));
		assertThat(endpoint("texts").isRunning()).isFalse();
		assertThat(endpoint("texts").metrics().lag()).isZero();
		assertThatIllegalStateException().isThrownBy(() -> registry().start("texts"))
			.withMessageContaining("still running");
		go.countDown();
		await("the offset of the late call").until(() -> this.offsets.load().equals(Map.of(this.partition, 1L)));
		await("started").until(() -> tryStart("texts"));
		assertThat(texts.take(1)).containsExactly("1");
	}

	@Test
	void savesOffsetsWhileListenerIsIdleAndBusy() throws Exception {
		CountDownLatch go = new CountDownLatch(1);
		Texts texts = start(Texts.class, DafkaErrorHandler.skip());
		send("0", "1");
		texts.take(2);
		await("saved when idle").until(() -> this.offsets.load().equals(Map.of(this.partition, 2L)));
		texts.then = () -> {
			if (texts.calls == 5) {
				awaitLatch(go);
			}
		};
		send("2", "3", "4");
		texts.take(3);
		assertThat(endpoint("texts").metrics().lag()).isEqualTo(1);
		go.countDown();
		await("saved all").until(() -> this.offsets.load().equals(Map.of(this.partition, 5L)));
	}

	@Test
	void interruptFlagOfListenerDoesNotEndPause() throws Exception {
		List<Long> times = new CopyOnWriteArrayList<>();
		Texts texts = start(Texts.class, (failure) -> {
			times.add(System.nanoTime());
			return (failure.attempt() < 2) ? Action.retryAfter(Duration.ofMillis(200)) : Action.SKIP;
		});
		texts.bad = Set.of("0");
		texts.then = () -> Thread.currentThread().interrupt();
		send("0", "1");
		assertThat(texts.take(3)).containsExactly("0", "0", "1");
		assertThat(Duration.ofNanos(times.get(1) - times.get(0))).isGreaterThanOrEqualTo(Duration.ofMillis(200));
	}

	@Test
	void callsListenerOnItsOwnThread() throws Exception {
		Texts texts = start(Texts.class, DafkaErrorHandler.skip());
		send("0", "1", "2");
		texts.take(3);
		assertThat(texts.threads).hasSize(1);
		assertThat(texts.threads.iterator().next()).isEqualTo("dafka-listener-texts");
	}

	@Test
	void batchesHaveAtMostMaxBatchRecords() {
		CountDownLatch go = new CountDownLatch(1);
		Batches batches = start(Batches.class, DafkaErrorHandler.skip());
		batches.then = () -> awaitLatch(go);
		send(IntStream.range(0, 25).mapToObj(String::valueOf).toArray());
		await("the first batch").until(() -> batches.sizes.size() == 1);
		go.countDown();
		await("all").until(() -> batches.got.size() == 25);
		assertThat(batches.sizes).allSatisfy((size) -> assertThat(size).isBetween(1, 10));
		assertThat(batches.got).isEqualTo(IntStream.range(0, 25).mapToObj(String::valueOf).toList());
	}

	@Test
	void destroyedPrototypeIsUnregistered() throws Exception {
		start(Texts.class, DafkaErrorHandler.skip());
		AnnotationConfigApplicationContext context = this.context;
		assertThat(context).isNotNull();
		BeanDefinitionCustomizer prototype = (definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
		context.registerBean("late", Late.class, prototype);
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		new DafkaMetrics(List::of, List::of, List::of, registry()).bindTo(meters);
		for (int i = 0; i < 2; i++) {
			Late late = context.getBean(Late.class);
			assertThat(registry().ids()).containsExactlyInAnyOrder("texts", "late.text");
			send("0");
			await("a record").until(() -> !late.got.isEmpty());
			FunctionCounter records = meters.get("dafka.listener.records").tag("id", "late.text").functionCounter();
			await("the counter").until(() -> records.count() >= 1);
			context.getBeanFactory().destroyBean("late", late);
			assertThat(registry().ids()).containsExactly("texts");
			assertThat(records.count()).isNaN();
		}
	}

	private boolean tryStart(String id) {
		try {
			registry().start(id);
			return true;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	private void send(Object... values) {
		List<CompletableFuture<Position>> sent = new ArrayList<>();
		for (Object value : values) {
			sent.add(this.template.send("texts", value));
		}
		sent.forEach((future) -> assertThat(future).succeedsWithin(Duration.ofSeconds(30)));
	}

	private DafkaListenerRegistry registry() {
		AnnotationConfigApplicationContext context = this.context;
		assertThat(context).isNotNull();
		return context.getBean(DafkaListenerRegistry.class);
	}

	private DafkaListenerEndpoint endpoint(String id) {
		return registry().get(id);
	}

	private <T> T start(Class<T> listener, DafkaErrorHandler errorHandler) {
		return start(listener, errorHandler, Duration.ofSeconds(10));
	}

	private <T> T start(Class<T> listener, DafkaErrorHandler errorHandler, Duration stopTimeout) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		this.context = context;
		context.register(Enabled.class);
		context.registerBean(listener);
		context.registerBean("onError", DafkaErrorHandler.class, () -> errorHandler);
		context.registerBean(DafkaListenerOptions.class,
				() -> new DafkaListenerOptions(true, 10, Duration.ofMillis(20), stopTimeout));
		context.registerBean(DafkaConsumerFactory.class, () -> new DafkaConsumerFactory() {

			@Override
			public Consumer.Builder consumer(String listenerId) {
				return SpringListenerStopTests.this.cluster.earliest();
			}

			@Override
			public OffsetStore offsets(String listenerId) {
				return SpringListenerStopTests.this.offsets;
			}

		});
		context.refresh();
		return context.getBean(listener);
	}

	private static void awaitLatch(CountDownLatch latch) {
		try {
			assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableDafka
	static class Enabled {

	}

	static class Texts {

		final BlockingQueue<String> got = new LinkedBlockingQueue<>();

		final Set<String> threads = ConcurrentHashMap.newKeySet();

		volatile Set<String> bad = Set.of();

		volatile int calls;

		volatile Runnable then = () -> {
		};

		@DafkaListener(id = "texts", topics = "texts", errorHandler = "onError")
		@SuppressWarnings("NonAtomicOperationOnVolatileField")
		void text(String text) {
			this.calls++;
			this.threads.add(Thread.currentThread().getName());
			this.got.add(text);
			this.then.run();
			if (this.bad.contains(text)) {
				throw new IllegalArgumentException("bad");
			}
		}

		List<String> take(int count) throws InterruptedException {
			List<String> taken = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				String text = this.got.poll(30, TimeUnit.SECONDS);
				assertThat(text).as("record %s of %s", i + 1, count).isNotNull();
				taken.add(text);
			}
			return taken;
		}

	}

	static class Late {

		final List<String> got = new CopyOnWriteArrayList<>();

		@DafkaListener(topics = "texts")
		void text(String text) {
			this.got.add(text);
		}

	}

	static class Batches {

		final List<String> got = new CopyOnWriteArrayList<>();

		final List<Integer> sizes = new CopyOnWriteArrayList<>();

		volatile boolean failing;

		volatile Runnable then = () -> {
		};

		@DafkaListener(id = "batches", topics = "texts", batch = true, errorHandler = "onError")
		void texts(List<String> texts) {
			this.sizes.add(texts.size());
			this.then.run();
			if (this.failing) {
				throw new IllegalStateException("failing");
			}
			this.got.addAll(texts);
		}

	}

}
