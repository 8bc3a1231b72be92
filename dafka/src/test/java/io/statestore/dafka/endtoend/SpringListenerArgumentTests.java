package io.statestore.dafka.endtoend;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.spring.DafkaConversionException;
import io.statestore.dafka.spring.DafkaErrorHandler;
import io.statestore.dafka.spring.DafkaHeaders;
import io.statestore.dafka.spring.DafkaListener;
import io.statestore.dafka.spring.DafkaListenerEndpoint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Arguments of annotated methods. */
@Timeout(120)
class SpringListenerArgumentTests extends SpringListenerSetup {

	@Test
	void passesValueAndMetadata() throws Exception {
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
	void passesReadableBatchRecordsInOrder() {
		send("ovens", new Oven(0), "not an oven", new Oven(1), new Oven(2));
		try (AnnotationConfigApplicationContext context = start(Batches.class)) {
			Batches batches = context.getBean(Batches.class);
			await("three ovens").until(() -> batches.ovens.size() == 3);
			send("ovens", new Oven(3));
			await("the fourth").until(() -> batches.ovens.size() == 4);
			assertThat(batches.ovens).containsExactly(new Oven(0), new Oven(1), new Oven(2), new Oven(3));
			assertThat(batches.records).extracting(DafkaRecord::offset).containsExactly(0L, 2L, 3L, 4L);
			DafkaListenerEndpoint endpoint = registry(context).get("batches");
			await("all records").until(() -> endpoint.metrics().records() == 5);
			assertThat(endpoint.metrics().failures()).isEqualTo(1);
		}
	}

	@Test
	void passesOnlyValidValues() {
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
			await("two valid ovens of three").until(() -> ovens.each.size() == 2 && ovens.together.size() == 2);
			assertThat(ovens.each).containsExactly(new Oven(0), new Oven(2));
			assertThat(ovens.together).containsExactly(new Oven(0), new Oven(2));
		}
		assertThat(failures).hasSize(2)
			.allSatisfy((failure) -> assertThat(failure).isInstanceOf(DafkaConversionException.class)
				.hasMessageContaining("Record 1 of topic 'ovens'")
				.hasMessageContaining("celsius (cold)")
				.hasMessageNotContaining("-1.0"));
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

}
