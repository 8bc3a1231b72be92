package io.statestore.listener;

import java.lang.reflect.Method;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class ValueValidationTests {

	@Test
	void validatesParameterAnnotatedInInterface() throws Exception {
		assertThat(validation("inherited", new NeverValid()).problems("text")).containsExactly("value (bad)");
	}

	@Test
	void ignoresParameterWithoutAnnotation() throws Exception {
		assertThat(validation("plain", new NeverValid()).problems("text")).isEmpty();
	}

	@Test
	void ignoresHeaderAnnotatedInInterface() throws Exception {
		assertThat(validation("header", new NeverValid()).problems("text")).isEmpty();
	}

	@Test
	void requiresValidatorForInterfaceAnnotation() {
		assertThatIllegalStateException().isThrownBy(() -> validation("inherited", null))
			.withMessageContaining("@Validated");
	}

	private static ValueValidation validation(String name, @Nullable Validator validator) throws Exception {
		Method method = Listener.class.getDeclaredMethod(name, String.class);
		Deprecated annotation = Objects.requireNonNull(Listener.class.getAnnotation(Deprecated.class));
		return ValueValidation.of(
				new AnnotatedMethod<>(new Listener(), "listener", Listener.class, method, annotation, false),
				validator);
	}

	interface Contract {

		void inherited(@Validated String text);

		void plain(String text);

		void header(@Header("name") @Validated String text);

	}

	@Deprecated
	static final class Listener implements Contract {

		@Override
		public void inherited(String text) {
		}

		@Override
		public void plain(String text) {
		}

		@Override
		public void header(String text) {
		}

	}

	private static final class NeverValid implements Validator {

		@Override
		public boolean supports(Class<?> type) {
			return true;
		}

		@Override
		public void validate(Object target, Errors errors) {
			errors.reject("bad");
		}

	}

}
