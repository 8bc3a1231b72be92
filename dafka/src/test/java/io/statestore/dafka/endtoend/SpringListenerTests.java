package io.statestore.dafka.endtoend;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.reading.ReadingOptions;
import io.statestore.dafka.spring.DafkaConversionException;
import io.statestore.dafka.spring.DafkaTemplate;
import io.statestore.dafka.spring.JacksonDafkaValueConverter;
import io.statestore.dafka.spring.listener.DafkaConsumerFactory;
import io.statestore.dafka.spring.listener.DafkaErrorHandler;
import io.statestore.dafka.spring.listener.DafkaHeaders;
import io.statestore.dafka.spring.listener.DafkaListener;
import io.statestore.dafka.spring.listener.DafkaListenerEndpoint;
import io.statestore.dafka.spring.listener.DafkaListenerOptions;
import io.statestore.dafka.spring.listener.DafkaListenerRegistry;
import io.statestore.dafka.spring.listener.EnableDafka;
import io.statestore.dafka.spring.metrics.DafkaMetrics;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.zmtp.ZmtpClient;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** Annotated methods and the template, over real sockets and a real store. */
@Timeout(120)
class SpringListenerTests {

	private static final JacksonDafkaValueConverter JSON = new JacksonDafkaValueConverter(JsonMapper.builder().build());

	private final Cluster cluster = new Cluster();

	private final Store store = this.cluster.store().start();

	private final Producer producer = this.cluster.producer().start();

	private final DafkaTemplate template = new DafkaTemplate(() -> this.producer, JSON);

	@TempDir
	Path directory;

	@AfterEach
	void close() {
		this.producer.close();
		this.store.close();
		this.cluster.close();
	}

	@Test
	void givesTheValueAndEverythingAroundIt() throws Exception {
		Position sent = this.template.send("ovens", new Oven(180)).get(30, TimeUnit.SECONDS);
		try (AnnotationConfigApplicationContext context = start(Arguments.class)) {
			Map<String, Object> got = context.getBean(Arguments.class).got;
			await("all arguments").until(() -> got.size() == 7);
			DafkaRecord record = new DafkaRecord(sent.topic(), sent.partition(), sent.offset(),
					Bytes.of("{\"celsius\":180.0}"));
			assertThat(got).containsEntry("value", new Oven(180))
				.containsEntry("record", record)
				.containsEntry("position", sent)
				.containsEntry("partition", new TopicPartition(sent.topic(), sent.partition()))
				.containsEntry("headers", sent)
				.containsEntry("message", new Oven(180))
				.containsEntry("text", "{\"celsius\":180.0}");
		}
	}

	@Test
	void givesBatchesInOrderWithoutWhatCannotBeRead() {
		send("ovens", new Oven(0), "no oven", new Oven(1), new Oven(2));
		try (AnnotationConfigApplicationContext context = start(Batches.class)) {
			Batches batches = context.getBean(Batches.class);
			await("three ovens").until(() -> batches.ovens.size() == 3);
			send("ovens", new Oven(3));
			await("the fourth").until(() -> batches.ovens.size() == 4);
			assertThat(batches.ovens).containsExactly(new Oven(0), new Oven(1), new Oven(2), new Oven(3));
			assertThat(batches.records).extracting(DafkaRecord::offset).containsExactly(0L, 2L, 3L, 4L);
			assertThat(context.getBean(DafkaListenerRegistry.class).get("batches").metrics()).satisfies((metrics) -> {
				await("all done")
					.until(() -> context.getBean(DafkaListenerRegistry.class).get("batches").metrics().records() == 5);
				assertThat(metrics.failures()).isEqualTo(1);
			});
		}
	}

	@Test
	void givesOnlyWhatIsValid() {
		send("ovens", new Oven(0), new Oven(-1), new Oven(2));
		List<Throwable> failures = new CopyOnWriteArrayList<>();
		try (AnnotationConfigApplicationContext context = start(ValidOvens.class, (it) -> {
			it.registerBean(Validator.class, () -> Validator.forInstanceOf(Oven.class, (oven, errors) -> {
				if (oven.celsius() < 0) {
					errors.rejectValue("celsius", "cold");
				}
			}));
			it.registerBean("onError", DafkaErrorHandler.class, () -> (failure) -> {
				failures.add(failure.cause());
				return DafkaErrorHandler.Action.SKIP;
			});
		})) {
			ValidOvens ovens = context.getBean(ValidOvens.class);
			await("two ovens of three, one by one and together")
				.until(() -> ovens.each.size() == 2 && ovens.together.size() == 2);
			assertThat(ovens.each).containsExactly(new Oven(0), new Oven(2));
			assertThat(ovens.together).containsExactly(new Oven(0), new Oven(2));
		}
		assertThat(failures).hasSize(2)
			.allSatisfy((failure) -> assertThat(failure).isInstanceOf(DafkaConversionException.class)
				.hasMessageContaining("Record 1 of topic 'ovens'")
				.hasMessageContaining("celsius (cold)")
				.hasMessageNotContaining("-1.0"));
	}

	@Test
	void goesOnAfterAFailure() throws Exception {
		send("texts", "0", "bad", "2");
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			Texts texts = context.getBean(Texts.class);
			texts.bad = "bad";
			assertThat(texts.take(3)).containsExactly("0", "bad", "2");
			assertThat(context.getBean(DafkaListenerRegistry.class).get("texts").isRunning()).isTrue();
		}
	}

	@Test
	void triesAgainAndThenStopsInFrontOfTheRecord() throws Exception {
		DafkaErrorHandler handler = DafkaErrorHandler.retry(2, Duration.ofMillis(1), DafkaErrorHandler.stop());
		try (AnnotationConfigApplicationContext context = start(Texts.class,
				(it) -> it.registerBean("onError", DafkaErrorHandler.class, () -> handler))) {
			Texts texts = context.getBean(Texts.class);
			DafkaListenerRegistry registry = context.getBean(DafkaListenerRegistry.class);
			texts.bad = "1";
			send("texts", "0", "1", "2");
			assertThat(texts.take(4)).containsExactly("0", "1", "1", "1");
			await("stopped").until(() -> !registry.get("texts").isRunning());
			assertThat(registry.get("texts").failure()).hasMessage("bad");
			texts.bad = "";
			registry.start("texts");
			assertThat(texts.take(2)).containsExactly("1", "2");
			assertThat(registry.get("texts").failure()).isNull();
			assertThat(registry.get("texts").metrics().failures()).isEqualTo(3);
		}
	}

	@Test
	void errorStopsListenerInFrontOfRecord() throws Exception {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			Texts texts = context.getBean(Texts.class);
			DafkaListenerEndpoint endpoint = context.getBean(DafkaListenerRegistry.class).get("texts");
			StackOverflowError error = new StackOverflowError("deep");
			texts.then = () -> {
				throw error;
			};
			send("texts", "0", "1");
			assertThat(texts.take(1)).containsExactly("0");
			await("stopped").until(() -> !endpoint.isRunning());
			assertThat(endpoint.failure()).isSameAs(error);
			texts.then = () -> {
			};
			context.getBean(DafkaListenerRegistry.class).start("texts");
			assertThat(texts.take(2)).containsExactly("0", "1");
			assertThat(endpoint.failure()).isNull();
		}
	}

	@Test
	void anErrorHandlerThatFailsDoesNotEndTheListener() throws Exception {
		DafkaErrorHandler broken = (failure) -> {
			throw new IllegalStateException("broken");
		};
		try (AnnotationConfigApplicationContext context = start(Texts.class,
				(it) -> it.registerBean("onError", DafkaErrorHandler.class, () -> broken))) {
			Texts texts = context.getBean(Texts.class);
			texts.bad = "0";
			send("texts", "0", "1");
			assertThat(texts.take(2)).containsExactly("0", "1");
		}
	}

	@Test
	void goesOnWhereItWasAfterAStopAndAStart() throws Exception {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			Texts texts = context.getBean(Texts.class);
			DafkaListenerRegistry registry = context.getBean(DafkaListenerRegistry.class);
			send("texts", "0", "1");
			assertThat(texts.take(2)).containsExactly("0", "1");
			registry.stop("texts");
			assertThat(registry.get("texts").isRunning()).isFalse();
			send("texts", "2");
			context.stop();
			context.start();
			assertThat(registry.get("texts").isRunning()).as("stopped by its id").isFalse();
			registry.start("texts");
			assertThat(texts.take(1)).containsExactly("2");
			await("no lag").until(() -> registry.get("texts").metrics().lag() == 0);
			assertThat(registry.get("texts").metrics().records()).isEqualTo(3);
		}
	}

	@Test
	void goesOnWhereItWasInAnotherContext() throws Exception {
		Consumer<AnnotationConfigApplicationContext> offsets = (it) -> it.registerBean(DafkaConsumerFactory.class,
				() -> new DafkaConsumerFactory() {

					@Override
					public io.statestore.dafka.consumer.Consumer.Builder consumer(String listenerId) {
						return SpringListenerTests.this.cluster.earliest();
					}

					@Override
					public OffsetStore offsets(String listenerId) {
						return OffsetStore.file(SpringListenerTests.this.directory.resolve(listenerId));
					}

				});
		send("texts", "0", "1");
		try (AnnotationConfigApplicationContext context = start(Texts.class, offsets)) {
			assertThat(context.getBean(Texts.class).take(2)).containsExactly("0", "1");
		}
		send("texts", "2");
		try (AnnotationConfigApplicationContext context = start(Texts.class, offsets)) {
			assertThat(context.getBean(Texts.class).take(1)).containsExactly("2");
		}
	}

	@Test
	void whatIsCutShortByAStopComesAgain() throws Exception {
		try (AnnotationConfigApplicationContext context = start(Texts.class, (it) -> {
			it.registerBean("onError", DafkaErrorHandler.class,
					() -> (failure) -> DafkaErrorHandler.Action.retryAfter(Duration.ofHours(1)));
		})) {
			Texts texts = context.getBean(Texts.class);
			DafkaListenerRegistry registry = context.getBean(DafkaListenerRegistry.class);
			texts.bad = "0";
			send("texts", "0", "1");
			assertThat(texts.take(1)).containsExactly("0");
			registry.stop("texts");
			texts.bad = "";
			registry.start("texts");
			assertThat(texts.take(2)).containsExactly("0", "1");
		}
	}

	@Test
	void aListenerMayStopItself() throws Exception {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			Texts texts = context.getBean(Texts.class);
			DafkaListenerRegistry registry = context.getBean(DafkaListenerRegistry.class);
			texts.then = () -> registry.stop("texts");
			send("texts", "0", "1");
			assertThat(texts.take(1)).containsExactly("0");
			await("stopped").until(() -> !registry.get("texts").isRunning());
			texts.then = () -> {
			};
			registry.start("texts");
			assertThat(texts.take(1)).containsExactly("1");
		}
	}

	@Test
	void aListenerCannotStartItselfInTheMiddleOfACall() throws Exception {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			Texts texts = context.getBean(Texts.class);
			DafkaListenerRegistry registry = context.getBean(DafkaListenerRegistry.class);
			CompletableFuture<Throwable> refused = new CompletableFuture<>();
			texts.then = () -> {
				registry.stop("texts");
				refused.complete(catchThrowable(() -> registry.start("texts")));
			};
			send("texts", "0");
			assertThat(refused).succeedsWithin(Duration.ofSeconds(30))
				.asInstanceOf(InstanceOfAssertFactories.THROWABLE)
				.isInstanceOf(IllegalStateException.class)
				.hasMessageContainingAll("'texts'", "still running");
		}
	}

	@Test
	void aSlowListenerGetsEverythingFromLittleMemory() throws Exception {
		CountDownLatch go = new CountDownLatch(1);
		DafkaConsumerFactory small = (id) -> this.cluster.earliest()
			.maxRecords(10)
			.reading(new ReadingOptions(16, 1 << 20, Duration.ofMillis(200), Duration.ofSeconds(30)));
		DafkaListenerOptions options = new DafkaListenerOptions(true, 3, Duration.ofMillis(10), Duration.ofSeconds(10));
		try (AnnotationConfigApplicationContext context = start(Texts.class, (it) -> {
			it.registerBean(DafkaConsumerFactory.class, () -> small);
			it.registerBean(DafkaListenerOptions.class, () -> options);
		})) {
			Texts texts = context.getBean(Texts.class);
			DafkaListenerRegistry registry = context.getBean(DafkaListenerRegistry.class);
			texts.then = () -> awaitLatch(go);
			List<String> sent = IntStream.range(0, 300).mapToObj(String::valueOf).toList();
			send("texts", sent.toArray());
			await("more than there is room for").until(() -> registry.get("texts").metrics().lag() >= 300);
			assertThat(texts.got.size()).isLessThanOrEqualTo(1);
			go.countDown();
			assertThat(texts.take(300)).isEqualTo(sent);
		}
	}

	@Test
	void countsForMicrometer() throws Exception {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			DafkaListenerRegistry registry = context.getBean(DafkaListenerRegistry.class);
			SimpleMeterRegistry meters = new SimpleMeterRegistry();
			new DafkaMetrics(() -> List.of(this.template), () -> List.of(this.producer), () -> List.of(this.store),
					registry)
				.bindTo(meters);
			send("texts", "0", "1");
			context.getBean(Texts.class).take(2);
			for (String name : List.of("producer.sent", "producer.acknowledged", "store.stored", "listener.records",
					"listener.bytes", "template.bytes")) {
				FunctionCounter counter = meters.get("dafka." + name).functionCounter();
				await(name).until(() -> counter.count() == 2);
			}
			await("no lag").until(() -> meters.get("dafka.listener.lag").tag("id", "texts").gauge().value() == 0);
			assertThat(meters.getMeters()).extracting((meter) -> meter.getId().getName())
				.contains("dafka.listener.fetches", "dafka.listener.dropped", "dafka.producer.pending",
						"dafka.store.late", "dafka.producer.abandoned", "dafka.listener.refused");
		}
	}

	@Test
	void countsRefusedPeersForMicrometer() {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			SimpleMeterRegistry meters = new SimpleMeterRegistry();
			new DafkaMetrics(() -> List.of(this.template), () -> List.of(this.producer), () -> List.of(this.store),
					context.getBean(DafkaListenerRegistry.class))
				.bindTo(meters);
			for (int port : List.of(this.producer.port(), this.store.port())) {
				try (ZmtpClient client = ZmtpClient.handshake(port, "SUB")) {
					client.send(ZmtpClient.message(List.of(new byte[] { 7 })));
					assertThat(client.awaitClosed(Duration.ofSeconds(30))).isTrue();
				}
			}
			for (String name : List.of("dafka.producer.peers.refused", "dafka.store.peers.refused")) {
				FunctionCounter counter = meters.get(name).functionCounter();
				await(name).until(() -> counter.count() > 0);
			}
			assertThat(meters.get("dafka.listener.peers.refused").tag("id", "texts").functionCounter().count())
				.isZero();
		}
	}

	private void send(String topic, Object... values) {
		List<CompletableFuture<Position>> sent = new ArrayList<>();
		for (Object value : values) {
			sent.add(this.template.send(topic, value));
		}
		sent.forEach((future) -> assertThat(future).succeedsWithin(Duration.ofSeconds(30)));
	}

	private AnnotationConfigApplicationContext start(Class<?> listener) {
		return start(listener, (context) -> {
		});
	}

	private AnnotationConfigApplicationContext start(Class<?> listener,
			Consumer<AnnotationConfigApplicationContext> customizer) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(Enabled.class);
		context.registerBean(listener);
		context.registerBean(JacksonDafkaValueConverter.class, () -> JSON);
		customizer.accept(context);
		if (context.getBeanFactory().getBeanNamesForType(DafkaConsumerFactory.class, false, false).length == 0) {
			context.registerBean(DafkaConsumerFactory.class, () -> (id) -> this.cluster.earliest());
		}
		if (!context.containsBeanDefinition("onError")) {
			context.registerBean("onError", DafkaErrorHandler.class, DafkaErrorHandler::skip);
		}
		context.refresh();
		return context;
	}

	private static void awaitLatch(CountDownLatch latch) {
		try {
			assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	record Oven(double celsius) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableDafka
	static class Enabled {

	}

	static class Arguments {

		final Map<String, Object> got = new ConcurrentHashMap<>();

		@DafkaListener(topics = "ovens")
		void record(DafkaRecord record, Oven value) {
			this.got.put("record", record);
			this.got.put("value", value);
		}

		@DafkaListener(topics = "ovens")
		void places(Position position, TopicPartition partition) {
			this.got.put("position", position);
			this.got.put("partition", partition);
		}

		@DafkaListener(topics = "ovens")
		void headers(@Header(DafkaHeaders.TOPIC) String topic, @Header(DafkaHeaders.PARTITION) String partition,
				@Header(DafkaHeaders.OFFSET) long offset) {
			this.got.put("headers", new Position(topic, partition, offset));
		}

		@DafkaListener(topics = "ovens")
		void message(Message<Oven> message) {
			this.got.put("message", message.getPayload());
		}

		@DafkaListener(topics = "ovens")
		void bytes(byte[] content) {
			this.got.put("text", new String(content, StandardCharsets.UTF_8));
		}

	}

	static class Batches {

		final List<Oven> ovens = new CopyOnWriteArrayList<>();

		final List<DafkaRecord> records = new CopyOnWriteArrayList<>();

		@DafkaListener(id = "batches", topics = "ovens", batch = true)
		void batch(List<Oven> ovens, List<DafkaRecord> records) {
			this.records.addAll(records);
			this.ovens.addAll(ovens);
		}

	}

	static class ValidOvens {

		final List<Oven> each = new CopyOnWriteArrayList<>();

		final List<Oven> together = new CopyOnWriteArrayList<>();

		@DafkaListener(topics = "ovens", errorHandler = "onError")
		void each(@Validated Oven oven) {
			this.each.add(oven);
		}

		@DafkaListener(topics = "ovens", batch = true, errorHandler = "onError")
		void together(@Validated List<Oven> ovens) {
			this.together.addAll(ovens);
		}

	}

	static class Texts {

		final BlockingQueue<String> got = new LinkedBlockingQueue<>();

		volatile @Nullable String bad;

		volatile Runnable then = () -> {
		};

		@DafkaListener(id = "texts", topics = "texts", errorHandler = "onError")
		void text(String text) {
			this.got.add(text);
			this.then.run();
			if (text.equals(this.bad)) {
				throw new DafkaConversionException("bad");
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

}
