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
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.spring.DafkaConsumerFactory;
import io.statestore.dafka.spring.DafkaErrorHandler;
import io.statestore.dafka.spring.DafkaListener;
import io.statestore.dafka.spring.DafkaListenerOptions;
import io.statestore.dafka.spring.DafkaListenerRegistry;
import io.statestore.dafka.spring.DafkaTemplate;
import io.statestore.dafka.spring.EnableDafka;
import io.statestore.dafka.spring.JacksonDafkaValueConverter;
import io.statestore.dafka.store.Store;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Spring context with annotated methods, in a network with one store and one producer.
 */
abstract class SpringListenerSetup {

	static final JacksonDafkaValueConverter JSON = new JacksonDafkaValueConverter(JsonMapper.builder().build());

	final Cluster cluster = new Cluster();

	final Store store = this.cluster.store().start();

	final Producer producer = this.cluster.producer().start();

	final DafkaTemplate template = new DafkaTemplate(() -> this.producer, JSON);

	/**
	 * Offsets of all listeners. Each test starts only one listener or does not need
	 * offsets.
	 */
	final Map<String, OffsetStore> offsets = new ConcurrentHashMap<>();

	@AfterEach
	void close() {
		this.producer.close();
		this.store.close();
		this.cluster.close();
	}

	/** Sends values and waits until the store has acknowledged them. */
	void send(String topic, Object... values) {
		List<CompletableFuture<Position>> sent = new ArrayList<>();
		for (Object value : values) {
			sent.add(this.template.send(topic, value));
		}
		sent.forEach((future) -> assertThat(future).succeedsWithin(Duration.ofSeconds(30)));
	}

	/** Returns the saved offset for the producer in a topic; -1 if there is none. */
	long savedOffset(String listener, String topic) {
		OffsetStore offsets = this.offsets.get(listener);
		return (offsets != null) ? offsets.load().getOrDefault(new TopicPartition(topic, this.producer.address()), -1L)
				: -1;
	}

	AnnotationConfigApplicationContext start(Class<?> listener) {
		return start(listener, (context) -> {
		});
	}

	AnnotationConfigApplicationContext startWith(Class<?> listener, DafkaErrorHandler errorHandler) {
		return start(listener,
				(context) -> context.registerBean("onError", DafkaErrorHandler.class, () -> errorHandler));
	}

	AnnotationConfigApplicationContext start(Class<?> listener,
			Consumer<AnnotationConfigApplicationContext> customizer) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(Enabled.class);
		context.registerBean(listener);
		context.registerBean(JacksonDafkaValueConverter.class, () -> JSON);
		customizer.accept(context);
		registerIfMissing(context, DafkaConsumerFactory.class, "consumers", () -> consumers(this.cluster::earliest));
		registerIfMissing(context, DafkaListenerOptions.class, "options", () -> options(Duration.ofSeconds(10)));
		registerIfMissing(context, DafkaErrorHandler.class, "onError", DafkaErrorHandler::skip);
		context.refresh();
		return context;
	}

	private static <T> void registerIfMissing(AnnotationConfigApplicationContext context, Class<T> type, String name,
			Supplier<T> bean) {
		if (context.getBeanFactory().getBeanNamesForType(type, false, false).length == 0) {
			context.registerBean(name, type, bean);
		}
	}

	/** Returns a factory whose offsets are in {@link #offsets}. */
	DafkaConsumerFactory consumers(Supplier<io.statestore.dafka.consumer.Consumer.Builder> builder) {
		return new DafkaConsumerFactory() {

			@Override
			public io.statestore.dafka.consumer.Consumer.Builder consumer(String listenerId) {
				return builder.get();
			}

			@Override
			public OffsetStore offsets(String listenerId) {
				return SpringListenerSetup.this.offsets.computeIfAbsent(listenerId, (id) -> OffsetStore.memory());
			}

		};
	}

	/**
	 * Returns options with batches of at most 10 records and offsets saved every 20 ms.
	 */
	static DafkaListenerOptions options(Duration stopTimeout) {
		return new DafkaListenerOptions(true, 10, Duration.ofMillis(20), stopTimeout);
	}

	static DafkaListenerRegistry registry(ApplicationContext context) {
		return context.getBean(DafkaListenerRegistry.class);
	}

	static void awaitLatch(CountDownLatch latch) {
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

	/** Listener of single records. */
	static class Texts {

		final BlockingQueue<String> got = new LinkedBlockingQueue<>();

		final Set<String> threads = ConcurrentHashMap.newKeySet();

		/** Value for which the listener throws an exception. */
		volatile @Nullable String bad;

		/** Called with each value before the listener may refuse it. */
		volatile Consumer<String> then = (text) -> {
		};

		@DafkaListener(id = "texts", topics = "texts", errorHandler = "onError")
		void text(String text) {
			this.threads.add(Thread.currentThread().getName());
			this.got.add(text);
			this.then.accept(text);
			if (text.equals(this.bad)) {
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

	/** Listener of batches. */
	static class TextBatches {

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
