package io.statestore.dafka.endtoend;

import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.spring.DafkaConsumerFactory;
import io.statestore.dafka.spring.DafkaErrorHandler;
import io.statestore.dafka.spring.DafkaListener;
import io.statestore.dafka.spring.DafkaListenerEndpoint;
import io.statestore.dafka.spring.DafkaListenerOptions;
import io.statestore.dafka.spring.DafkaListenerRegistry;
import io.statestore.dafka.spring.metrics.DafkaMetrics;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** Offsets of annotated methods across stops and restarts. */
@Timeout(120)
class SpringListenerStopTests extends SpringListenerSetup {

	@TempDir
	Path directory;

	@Test
	void continuesAtItsOffsetAfterRestart() throws Exception {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			Texts texts = context.getBean(Texts.class);
			DafkaListenerRegistry registry = registry(context);
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
	void continuesAtItsOffsetInAnotherContext() throws Exception {
		Consumer<AnnotationConfigApplicationContext> offsets = (it) -> it.registerBean(DafkaConsumerFactory.class,
				() -> new DafkaConsumerFactory() {

					@Override
					public io.statestore.dafka.consumer.Consumer.Builder consumer(String listenerId) {
						return SpringListenerStopTests.this.cluster.earliest();
					}

					@Override
					public OffsetStore offsets(String listenerId) {
						return OffsetStore.file(SpringListenerStopTests.this.directory.resolve(listenerId));
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
	void listenerStopsItself() throws Exception {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			Texts texts = context.getBean(Texts.class);
			DafkaListenerRegistry registry = registry(context);
			texts.then = (text) -> registry.stop("texts");
			send("texts", "0", "1");
			assertThat(texts.take(1)).containsExactly("0");
			await("stopped").until(() -> !registry.get("texts").isRunning());
			texts.then = (text) -> {
			};
			registry.start("texts");
			assertThat(texts.take(1)).containsExactly("1");
		}
	}

	@Test
	void listenerCannotRestartItselfDuringCall() throws Exception {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			Texts texts = context.getBean(Texts.class);
			DafkaListenerRegistry registry = registry(context);
			CompletableFuture<Throwable> refused = new CompletableFuture<>();
			texts.then = (text) -> {
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
	void stopDuringRetrySavesHandledRecords() throws Exception {
		try (AnnotationConfigApplicationContext context = startWith(Texts.class,
				(failure) -> DafkaErrorHandler.Action.retryAfter(Duration.ofHours(1)))) {
			Texts texts = context.getBean(Texts.class);
			texts.bad = "2";
			send("texts", "0", "1", "2", "3");
			assertThat(texts.take(3)).containsExactly("0", "1", "2");
			assertThat(timeOf(() -> registry(context).stop("texts"))).isLessThan(Duration.ofSeconds(9));
			assertThat(savedOffset("texts", "texts")).isEqualTo(2);
			texts.bad = "";
			registry(context).start("texts");
			assertThat(texts.take(2)).containsExactly("2", "3");
		}
	}

	@Test
	void recordsInFlightFollowAfterRestart() throws Exception {
		CountDownLatch go = new CountDownLatch(1);
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			Texts texts = context.getBean(Texts.class);
			texts.then = (text) -> awaitLatch(go);
			List<String> sent = IntStream.range(0, 20).mapToObj(String::valueOf).toList();
			send("texts", sent.toArray());
			assertThat(texts.take(1)).containsExactly("0");
			CompletableFuture<Void> stop = CompletableFuture.runAsync(() -> registry(context).stop("texts"));
			await("stopping").until(() -> !registry(context).get("texts").isRunning());
			go.countDown();
			assertThat(stop).succeedsWithin(Duration.ofSeconds(30));
			assertThat(savedOffset("texts", "texts")).isEqualTo(1);
			assertThat(texts.got).isEmpty();
			registry(context).start("texts");
			assertThat(texts.take(19)).isEqualTo(sent.subList(1, 20));
		}
	}

	@Test
	void stopReturnsAfterTimeoutWhenListenerHangs() throws Exception {
		CountDownLatch go = new CountDownLatch(1);
		try (AnnotationConfigApplicationContext context = start(Texts.class,
				(it) -> it.registerBean(DafkaListenerOptions.class, () -> options(Duration.ofMillis(100))))) {
			Texts texts = context.getBean(Texts.class);
			DafkaListenerEndpoint endpoint = registry(context).get("texts");
			texts.then = (text) -> awaitLatch(go);
			send("texts", "0", "1");
			assertThat(texts.take(1)).containsExactly("0");
			assertThat(timeOf(() -> registry(context).stop("texts"))).isBetween(Duration.ofMillis(100),
					Duration.ofSeconds(9));
			assertThat(endpoint.isRunning()).isFalse();
			assertThat(endpoint.metrics().lag()).isZero();
			assertThatIllegalStateException().isThrownBy(() -> registry(context).start("texts"))
				.withMessageContaining("still running");
			go.countDown();
			await("the offset of the late call").until(() -> savedOffset("texts", "texts") == 1);
			await("started").ignoreExceptionsInstanceOf(IllegalStateException.class).until(() -> {
				registry(context).start("texts");
				return true;
			});
			assertThat(texts.take(1)).containsExactly("1");
		}
	}

	@Test
	void destroyedPrototypeIsUnregistered() throws Exception {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			BeanDefinitionCustomizer prototype = (definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
			context.registerBean("late", Late.class, prototype);
			SimpleMeterRegistry meters = new SimpleMeterRegistry();
			new DafkaMetrics(List::of, List::of, List::of, registry(context)).bindTo(meters);
			for (int i = 0; i < 2; i++) {
				Late late = context.getBean(Late.class);
				assertThat(registry(context).ids()).containsExactlyInAnyOrder("texts", "late.text");
				send("texts", "0");
				await("a record").until(() -> !late.got.isEmpty());
				FunctionCounter records = meters.get("dafka.listener.records").tag("id", "late.text").functionCounter();
				await("the counter").until(() -> records.count() >= 1);
				context.getBeanFactory().destroyBean("late", late);
				assertThat(registry(context).ids()).containsExactly("texts");
				assertThat(records.count()).isNaN();
			}
		}
	}

	@Test
	void prototypeWaitsForHangingCallWithSameId() throws Exception {
		CountDownLatch go = new CountDownLatch(1);
		try (AnnotationConfigApplicationContext context = start(Texts.class,
				(it) -> it.registerBean(DafkaListenerOptions.class, () -> options(Duration.ofMillis(100))))) {
			BeanDefinitionCustomizer prototype = (definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
			context.registerBean("late", Late.class, prototype);
			Late late = context.getBean(Late.class);
			late.then = () -> awaitLatch(go);
			send("texts", "0", "1");
			await("the call").until(() -> !late.got.isEmpty());
			context.getBeanFactory().destroyBean("late", late);
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> context.getBean(Late.class))
					.withMessageContainingAll("'late.text'", "still running");
				assertThat(registry(context).ids()).containsExactly("texts");
			}
			go.countDown();
			await("the offset of the late call").until(() -> savedOffset("late.text", "texts") == 1);
			AtomicReference<Late> next = new AtomicReference<>();
			await("created").ignoreExceptionsInstanceOf(BeanCreationException.class).until(() -> {
				next.set(context.getBean(Late.class));
				return true;
			});
			assertThat(registry(context).ids()).containsExactlyInAnyOrder("texts", "late.text");
			await("the next record").until(() -> next.get().got.equals(List.of("1")));
			assertThat(late.got).containsExactly("0");
		}
	}

	@Test
	void forgetsPrototypeAfterHangingCallEnded() throws Exception {
		CountDownLatch go = new CountDownLatch(1);
		try (AnnotationConfigApplicationContext context = start(Texts.class,
				(it) -> it.registerBean(DafkaListenerOptions.class, () -> options(Duration.ofMillis(100))))) {
			BeanDefinitionCustomizer prototype = (definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
			context.registerBean("late", Late.class, prototype);
			context.registerBean("next", Late.class, prototype);
			Late late = context.getBean("late", Late.class);
			late.then = () -> awaitLatch(go);
			send("texts", "0");
			await("the call").until(() -> !late.got.isEmpty());
			WeakReference<DafkaListenerEndpoint> endpoint = new WeakReference<>(registry(context).get("late.text"));
			context.getBeanFactory().destroyBean("late", late);
			go.countDown();
			await("collected").until(() -> {
				context.getBeanFactory().destroyBean("next", context.getBean("next"));
				System.gc();
				return endpoint.refersTo(null);
			});
		}
	}

	private static Duration timeOf(Runnable action) {
		long start = System.nanoTime();
		action.run();
		return Duration.ofNanos(System.nanoTime() - start);
	}

	static class Late {

		final List<String> got = new CopyOnWriteArrayList<>();

		volatile Runnable then = () -> {
		};

		@DafkaListener(topics = "texts")
		void text(String text) {
			this.got.add(text);
			this.then.run();
		}

	}

}
