package io.statestore.dafka.spring;

import java.util.List;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.consumer.Consumer;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Startup errors of listener methods and their messages. */
class DafkaListenerMistakesTests {

	@Test
	void refusesMissingTopics() {
		assertRefused(NoTopics.class, "'topics'");
	}

	@Test
	void refusesOverlongTopic() {
		assertRefused(LongTopic.class, "'topics'", "255");
	}

	@Test
	void refusesUndefinedPlaceholder() {
		assertRefused(Placeholder.class, "${nowhere}", "'topics'");
	}

	@Test
	void refusesUnknownOffsetReset() {
		assertRefused(Reset.class, "'offsetReset'", "'first'", "earliest or latest");
	}

	@Test
	void refusesUnknownErrorHandler() {
		assertRefused(NoHandler.class, "'errorHandler'", "'missing'", "DafkaErrorHandler");
	}

	@Test
	void refusesNonBooleanAutoStartup() {
		assertRefused(AutoStartup.class, "'autoStartup'", "'maybe'");
	}

	@Test
	void refusesTwoValueArguments() {
		assertRefused(TwoValues.class, "2 arguments for the value");
	}

	@Test
	void refusesBatchWithoutList() {
		assertRefused(NoList.class, "batch", "List");
	}

	@Test
	void refusesBatchWithHeader() {
		assertRefused(HeaderOfBatch.class, "batch", "List");
	}

	@Test
	void refusesValidationWithoutValidator() {
		assertRefused(NoValidator.class, "@Validated", "no Validator bean", "spring-boot-starter-validation");
	}

	@Test
	void refusesSameIdTwice() {
		assertRefused(SameId.class, "'same'", "'id'");
	}

	@Test
	void refusesUnknownId() {
		DafkaListenerRegistry registry = new DafkaListenerRegistry(
				() -> (id) -> Consumer.builder(NodeOptions.tower("localhost")), DafkaListenerOptions.DEFAULT);
		assertThatIllegalArgumentException().isThrownBy(() -> registry.stop("missing"))
			.withMessageContaining("'missing'");
	}

	@Test
	void removesListenersWhenPrototypeFailsToStart() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(Enabled.class);
			context.registerBean(DafkaConsumerFactory.class, () -> (id) -> {
				throw new IllegalStateException("no port for " + id);
			});
			BeanDefinitionCustomizer prototype = (definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
			context.registerBean("failing", Failing.class, prototype);
			context.registerBean("later", Later.class, prototype);
			context.refresh();
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> context.getBean(Failing.class))
					.withMessageContaining("no port for failing.second");
			}
			Later later = context.getBean(Later.class);
			assertThat(context.getBean(DafkaListenerRegistry.class).ids()).containsExactly("later.text");
			context.getBeanFactory().destroyBean("later", later);
		}
	}

	private static void assertRefused(Class<?> listener, String... parts) {
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

		@DafkaListener(topics = "topic", errorHandler = "missing")
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

	static class Failing {

		@DafkaListener(topics = "texts", autoStartup = "false")
		void first(String text) {
		}

		@DafkaListener(topics = "texts")
		void second(String text) {
		}

		@DafkaListener(topics = "texts", autoStartup = "false")
		void third(String text) {
		}

	}

	static class Later {

		@DafkaListener(topics = "texts", autoStartup = "false")
		void text(String text) {
		}

	}

}
