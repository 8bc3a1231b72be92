package io.statestore.client.annotation;

import java.util.Optional;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyChangeErrorHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.messaging.Message;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Startup errors of listener methods, and their messages. */
@Timeout(60)
class StateStoreListenerMistakesTests extends AnnotatedListenerSetup {

	@Test
	void namesMissingKeys() {
		assertRefused(NoKeys.class, "NoKeys.changed has no 'keys'");
	}

	@Test
	void refusesEmptyKey() {
		assertRefused(EmptyKey.class, "'keys'", "must not be empty");
	}

	@Test
	void refusesOverlongKey() {
		assertRefused(LongKey.class, "a key of 32701 bytes in 'keys'", "32700");
	}

	@Test
	void refusesUnknownErrorHandler() {
		assertRefused(UnknownHandler.class, "UnknownHandler.changed has the 'errorHandler' 'missing'",
				"KeyChangeErrorHandler");
	}

	@Test
	void refusesUndefinedPlaceholder() {
		assertRefused(UnknownPlaceholder.class, "UnknownPlaceholder.changed has '${not.there}' in 'keys'",
				"cannot be resolved");
	}

	@Test
	void refusesFailingExpression() {
		assertRefused(BadExpression.class, "BadExpression.changed has '#{noSuchBean.name}' in 'keys'");
	}

	@Test
	void refusesNumericKey() {
		assertRefused(NumberKey.class, "'#{42}' in 'keys'", "java.lang.Integer, not a string");
	}

	@Test
	void refusesTwoValueArguments() {
		assertRefused(TwoPayloads.class, "TwoPayloads.changed has 2 arguments for the value");
	}

	@Test
	void refusesDifferentValueTypes() {
		assertRefused(TwoTypes.class, "TwoTypes.changed requires the value as");
	}

	@Test
	void refusesPrimitiveForDeletions() {
		assertRefused(Primitive.class, "int cannot be null", "'operations' to SET");
	}

	@Test
	void refusesPlainMessageForDeletions() {
		assertRefused(PlainMessage.class, "Message<Optional<...>>");
	}

	@Test
	void refusesEmptyOperations() {
		assertRefused(NoOperations.class, "has no 'operations'");
	}

	@Test
	void refusesNonBooleanAutoStartup() {
		assertRefused(NotBoolean.class, "'autoStartup' 'maybe'", "true or false");
	}

	@Test
	void refusesSameIdTwice() {
		assertRefused(SameId.class, "Two state store listeners have the id 'same'", "SameId.one", "SameId.other",
				"another 'id'");
	}

	@Test
	void refusesValidationWithoutValidator() {
		assertRefused(NoValidator.class, "NoValidator.changed", "no Validator bean", "@Validated");
	}

	private static void assertRefused(Class<?> listeners, String... messages) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(StoreConfiguration.class, listeners);
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(context::refresh)
				.satisfies((failure) -> assertThat(failure.getMessage()).contains(messages));
		}
	}

	static class NoKeys {

		@StateStoreListener
		void changed(String value) {
		}

	}

	static class EmptyKey {

		@StateStoreListener(keys = "")
		void changed(String value) {
		}

	}

	static class LongKey {

		@StateStoreListener(keys = "#{'x'.repeat(32701)}")
		void changed(String value) {
		}

	}

	static class UnknownHandler {

		@StateStoreListener(keys = "key", errorHandler = "missing")
		void changed(String value) {
		}

	}

	static class UnknownPlaceholder {

		@StateStoreListener(keys = "${not.there}")
		void changed(String value) {
		}

	}

	static class BadExpression {

		@StateStoreListener(keys = "#{noSuchBean.name}")
		void changed(String value) {
		}

	}

	static class NumberKey {

		@StateStoreListener(keys = "#{42}")
		void changed(String value) {
		}

	}

	static class TwoPayloads {

		@StateStoreListener(keys = "key")
		void changed(String value, Setpoint other) {
		}

	}

	static class TwoTypes {

		@StateStoreListener(keys = "key")
		void changed(KeyChange<String> value, Setpoint other) {
		}

	}

	static class Primitive {

		@StateStoreListener(keys = "key")
		void changed(int value) {
		}

	}

	static class PlainMessage {

		@StateStoreListener(keys = "key")
		void changed(Message<String> value) {
		}

	}

	static class NoOperations {

		@StateStoreListener(keys = "key", operations = {})
		void changed(String value) {
		}

	}

	static class NotBoolean {

		@StateStoreListener(keys = "key", autoStartup = "maybe")
		void changed(String value) {
		}

	}

	static class SameId {

		@StateStoreListener(id = "same", keys = "key")
		void one(String value) {
		}

		@StateStoreListener(id = "same", keys = "key")
		void other(String value) {
		}

	}

	static class NoValidator {

		@StateStoreListener(keys = "key")
		void changed(@Validated Setpoint value) {
		}

	}

}
