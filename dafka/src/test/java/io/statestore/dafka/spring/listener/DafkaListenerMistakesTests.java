package io.statestore.dafka.spring.listener;

import java.util.List;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.consumer.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What a user gets wrong, and what the message must say. */
class DafkaListenerMistakesTests {

	@Test
	void noTopics() {
		failing(NoTopics.class, "'topics'");
	}

	@Test
	void aTopicThatIsTooLong() {
		failing(LongTopic.class, "'topics'", "255");
	}

	@Test
	void aPlaceholderThatIsNotDefined() {
		failing(Placeholder.class, "${nowhere}", "'topics'");
	}

	@Test
	void anUnknownOffsetReset() {
		failing(Reset.class, "'offsetReset'", "'first'", "earliest or latest");
	}

	@Test
	void anErrorHandlerThatIsNotThere() {
		failing(NoHandler.class, "'errorHandler'", "'nobody'", "DafkaErrorHandler");
	}

	@Test
	void anAutoStartupThatIsNoBoolean() {
		failing(AutoStartup.class, "'autoStartup'", "'maybe'");
	}

	@Test
	void twoValues() {
		failing(TwoValues.class, "2 arguments for the value");
	}

	@Test
	void aBatchWithoutList() {
		failing(NoList.class, "batch", "List");
	}

	@Test
	void aBatchWithAHeader() {
		failing(HeaderOfBatch.class, "batch", "List");
	}

	@Test
	void validationWithoutValidator() {
		failing(NoValidator.class, "@Validated", "no Validator bean", "spring-boot-starter-validation");
	}

	@Test
	void twoWithTheSameId() {
		failing(SameId.class, "'same'", "'id'");
	}

	@Test
	void anIdThatIsNotThere() {
		DafkaListenerRegistry registry = new DafkaListenerRegistry(
				() -> (id) -> Consumer.builder(NodeOptions.tower("localhost")), DafkaListenerOptions.DEFAULT);
		assertThatIllegalArgumentException().isThrownBy(() -> registry.stop("nobody"))
			.withMessageContaining("'nobody'");
	}

	private static void failing(Class<?> listener, String... parts) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(Enabled.class);
			context.registerBean(listener);
			assertThatIllegalStateException().isThrownBy(context::refresh)
				.withMessageContainingAll(parts)
				.withMessageContaining(listener.getSimpleName());
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableDafka
	static class Enabled {

	}

	static class NoTopics {

		@DafkaListener
		void listen(String text) {
		}

	}

	static class LongTopic {

		@DafkaListener(topics = "#{'t'.repeat(256)}")
		void listen(String text) {
		}

	}

	static class Placeholder {

		@DafkaListener(topics = "${nowhere}")
		void listen(String text) {
		}

	}

	static class Reset {

		@DafkaListener(topics = "topic", offsetReset = "first")
		void listen(String text) {
		}

	}

	static class NoHandler {

		@DafkaListener(topics = "topic", errorHandler = "nobody")
		void listen(String text) {
		}

	}

	static class AutoStartup {

		@DafkaListener(topics = "topic", autoStartup = "maybe")
		void listen(String text) {
		}

	}

	static class TwoValues {

		@DafkaListener(topics = "topic")
		void listen(String text, byte[] bytes, DafkaRecord record) {
		}

	}

	static class NoValidator {

		@DafkaListener(topics = "t")
		void text(@Validated String text) {
		}

	}

	static class NoList {

		@DafkaListener(topics = "topic", batch = true)
		void listen(String text) {
		}

	}

	static class HeaderOfBatch {

		@DafkaListener(topics = "topic", batch = true)
		void listen(@Header(DafkaHeaders.TOPIC) List<String> topics) {
		}

	}

	static class SameId {

		@DafkaListener(id = "same", topics = "topic")
		void one(String text) {
		}

		@DafkaListener(id = "same", topics = "topic")
		void other(String text) {
		}

	}

}
