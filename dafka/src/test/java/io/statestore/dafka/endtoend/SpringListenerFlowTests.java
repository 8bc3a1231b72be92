package io.statestore.dafka.endtoend;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.node.internal.ZmtpClient;
import io.statestore.dafka.spring.DafkaConsumerFactory;
import io.statestore.dafka.spring.DafkaListenerOptions;
import io.statestore.dafka.spring.DafkaListenerRegistry;
import io.statestore.dafka.spring.metrics.DafkaMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Limits, threads, saved offsets, and meters of annotated methods. */
@Timeout(120)
class SpringListenerFlowTests extends SpringListenerSetup {

	@Test
	void slowListenerReceivesEveryRecord() throws Exception {
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
			DafkaListenerRegistry registry = registry(context);
			texts.then = (text) -> awaitLatch(go);
			List<String> sent = IntStream.range(0, 300).mapToObj(String::valueOf).toList();
			send("texts", sent.toArray());
			await("more than there is room for").until(() -> registry.get("texts").metrics().lag() >= 300);
			assertThat(texts.got.size()).isLessThanOrEqualTo(1);
			go.countDown();
			assertThat(texts.take(300)).isEqualTo(sent);
		}
	}

	@Test
	void savesOffsetsBetweenCallsAndWhenIdle() throws Exception {
		CountDownLatch go = new CountDownLatch(1);
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			Texts texts = context.getBean(Texts.class);
			send("texts", "0", "1");
			texts.take(2);
			await("saved when idle").until(() -> savedOffset("texts", "texts") == 2);
			texts.then = (text) -> {
				if (text.equals("4")) {
					awaitLatch(go);
				}
			};
			send("texts", "2", "3", "4");
			texts.take(3);
			assertThat(registry(context).get("texts").metrics().lag()).isEqualTo(1);
			go.countDown();
			await("saved all").until(() -> savedOffset("texts", "texts") == 5);
		}
	}

	@Test
	void callsListenerOnThreadWithItsName() throws Exception {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			Texts texts = context.getBean(Texts.class);
			send("texts", "0", "1", "2");
			texts.take(3);
			assertThat(texts.threads).containsExactly("dafka-listener-texts");
		}
	}

	@Test
	void limitsRecordsPerBatch() {
		CountDownLatch go = new CountDownLatch(1);
		List<String> sent = IntStream.range(0, 25).mapToObj(String::valueOf).toList();
		try (AnnotationConfigApplicationContext context = start(TextBatches.class)) {
			TextBatches batches = context.getBean(TextBatches.class);
			batches.then = () -> awaitLatch(go);
			send("texts", sent.toArray());
			await("the first batch").until(() -> batches.sizes.size() == 1);
			go.countDown();
			await("all").until(() -> batches.got.size() == 25);
			assertThat(batches.sizes).allSatisfy((size) -> assertThat(size).isBetween(1, 10));
			assertThat(batches.got).isEqualTo(sent);
		}
	}

	@Test
	void reportsMetersToMicrometer() throws Exception {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			DafkaListenerRegistry registry = registry(context);
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
	void countsRefusedPeersInMicrometer() {
		try (AnnotationConfigApplicationContext context = start(Texts.class)) {
			SimpleMeterRegistry meters = new SimpleMeterRegistry();
			new DafkaMetrics(() -> List.of(this.template), () -> List.of(this.producer), () -> List.of(this.store),
					registry(context))
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

}
