package io.statestore.dafka.spring.listener;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.List;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.spring.DafkaConversionException;
import org.jspecify.annotations.Nullable;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.validation.BeanPropertyBindingResult;
import org.springframework.validation.Errors;
import org.springframework.validation.FieldError;
import org.springframework.validation.SmartValidator;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.ValidationAnnotationUtils;

/**
 * Validates values where the method asks for it with {@code @Valid} or
 * {@code @Validated}; those of a batch one by one.
 */
final class ValueValidation {

	private static final ValueValidation NONE = new ValueValidation(null);

	private final @Nullable Validator validator;

	private final Object[] hints;

	private ValueValidation(@Nullable Validator validator, Object... hints) {
		this.validator = validator;
		this.hints = hints;
	}

	/**
	 * @param validator {@code null} if there is none
	 * @throws IllegalStateException if the method needs one
	 */
	static ValueValidation of(Method method, @Nullable Validator validator) {
		for (Parameter parameter : method.getParameters()) {
			if (parameter.isAnnotationPresent(Header.class) || parameter.isAnnotationPresent(Headers.class)) {
				continue;
			}
			for (Annotation annotation : parameter.getAnnotations()) {
				Object[] hints = ValidationAnnotationUtils.determineValidationHints(annotation);
				if (hints != null && validator == null) {
					throw ListenerMethod.invalid(method,
							"has an argument to be validated, but there is no Validator bean, or more than one and "
									+ "none is primary. Add spring-boot-starter-validation, or leave out @"
									+ annotation.annotationType().getSimpleName());
				}
				if (hints != null) {
					return new ValueValidation(validator, hints);
				}
			}
		}
		return NONE;
	}

	/**
	 * @throws DafkaConversionException if the value is not valid; the message tells which
	 * part, but not what it is
	 */
	void check(DafkaRecord record, Object value) {
		if (this.validator == null) {
			return;
		}
		Errors errors = new BeanPropertyBindingResult(value, "value");
		if (this.validator instanceof SmartValidator smart) {
			smart.validate(value, errors, this.hints);
		}
		else {
			this.validator.validate(value, errors);
		}
		if (errors.hasErrors()) {
			List<String> problems = errors.getAllErrors()
				.stream()
				.map((error) -> ((error instanceof FieldError field) ? field.getField() : error.getObjectName()) + " ("
						+ error.getCode() + ')')
				.toList();
			throw new DafkaConversionException("Record " + record.offset() + " of topic '" + record.topic()
					+ "', partition '" + record.partition() + "' is not valid: " + problems);
		}
	}

}
