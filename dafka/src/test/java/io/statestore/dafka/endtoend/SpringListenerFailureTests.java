package io.statestore.dafka.endtoend;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.spring.DafkaErrorHandler.Action;
import io.statestore.dafka.spring.DafkaErrorHandler;
import io.statestore.dafka.spring.DafkaListenerEndpoint;
import io.statestore.dafka.spring.DafkaListenerRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Failures of annotated methods and actions of error handlers. */
@Timeout(120)
class SpringListenerFailureTests extends SpringListenerSetup {

	@Test
	void continuesAfterFailure() throws Exception {
		send("texts", "0", "bad", "2");
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			Texts texts = context.getBean(Texts.class);
			texts.bad = "bad";
			assertThat(texts.take(3)).containsExactly("0", "bad", "2");
			assertThat(registry(context).get("texts").isRunning()).isTrue();
		}
	}

	@Test
	void retriesThenStopsBeforeRecord() throws Exception {
		DafkaErrorHandler handler = DafkaErrorHandler.retry(2, Duration.ofMillis(1), DafkaErrorHandler.stop());
		try (AnnotationConfigApplicationContext context = start(Texts.class,
				(it) -> it.registerBean("onError", DafkaErrorHandler.class, () -> handler))) {
			Texts texts = context.getBean(Texts.class);
			DafkaListenerRegistry registry = registry(context);
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
	void errorStopsListenerBeforeRecord() throws Exception {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			Texts texts = context.getBean(Texts.class);
			DafkaListenerEndpoint endpoint = registry(context).get("texts");
			StackOverflowError error = new StackOverflowError("deep");
			texts.then = (text) -> {
				throw error;
			};
			send("texts", "0", "1");
			assertThat(texts.take(1)).containsExactly("0");
			await("stopped").until(() -> !endpoint.isRunning());
			assertThat(endpoint.failure()).isSameAs(error);
			texts.then = (text) -> {
			};
			registry(context).start("texts");
			assertThat(texts.take(2)).containsExactly("0", "1");
			assertThat(endpoint.failure()).isNull();
		}
	}

	@Test
	void continuesWhenErrorHandlerFails() throws Exception {
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
	void savesHandledPartOfStoppedBatch() {
		send("texts", "0", "1", new byte[] { -1 }, "3", "4");
		try (AnnotationConfigApplicationContext context = startWith(TextBatches.class, DafkaErrorHandler.stop())) {
			TextBatches batches = context.getBean(TextBatches.class);
			DafkaListenerEndpoint endpoint = registry(context).get("batches");
			await("stopped").until(() -> !endpoint.isRunning());
			await("saved").until(() -> savedOffset("batches", "texts") == 2);
			assertThat(batches.got).containsExactly("0", "1");
			assertThat(endpoint.metrics().records()).isEqualTo(2);
			assertThat(endpoint.failure()).isNotNull();
			registry(context).start("batches");
			await("stopped again").until(() -> !endpoint.isRunning());
			assertThat(batches.got).containsExactly("0", "1");
		}
	}

	@Test
	void retriesSameBatch() {
		List<List<Long>> failed = new CopyOnWriteArrayList<>();
		CountDownLatch twice = new CountDownLatch(2);
		try (AnnotationConfigApplicationContext context = startWith(TextBatches.class, (failure) -> {
			failed.add(failure.records().stream().map(DafkaRecord::offset).toList());
			twice.countDown();
			return (failure.attempt() < 3) ? Action.retryAfter(Duration.ofMillis(50)) : Action.SKIP;
		})) {
			TextBatches batches = context.getBean(TextBatches.class);
			batches.failing = true;
			send("texts", "0", "1");
			awaitLatch(twice);
			send("texts", "2", "3");
			await("three attempts").until(() -> failed.size() >= 3);
			batches.failing = false;
			assertThat(failed.get(1)).isEqualTo(failed.get(0));
			assertThat(failed.get(2)).isEqualTo(failed.get(0));
			await("the rest").until(() -> registry(context).get("batches").metrics().records() == 4);
		}
	}

	@Test
	void listenerInterruptFlagDoesNotEndPause() throws Exception {
		List<Long> times = new CopyOnWriteArrayList<>();
		try (AnnotationConfigApplicationContext context = startWith(Texts.class, (failure) -> {
			times.add(System.nanoTime());
			return (failure.attempt() < 2) ? Action.retryAfter(Duration.ofMillis(200)) : Action.SKIP;
		})) {
			Texts texts = context.getBean(Texts.class);
			texts.bad = "0";
			texts.then = (text) -> Thread.currentThread().interrupt();
			send("texts", "0", "1");
			assertThat(texts.take(3)).containsExactly("0", "0", "1");
			assertThat(Duration.ofNanos(times.get(1) - times.get(0))).isGreaterThanOrEqualTo(Duration.ofMillis(200));
		}
	}

}
