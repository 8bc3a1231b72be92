package io.statestore.listener;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.validation.BeanPropertyBindingResult;
import org.springframework.validation.Errors;
import org.springframework.validation.FieldError;
import org.springframework.validation.SmartValidator;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.ValidationAnnotationUtils;

/**
 * Validates a listener method's values if a parameter is annotated with {@code @Valid} or
 * {@code @Validated}. Thread-safe.
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
	 * Returns a method's validation.
	 * @param method the listener method
	 * @param validator the validator, {@code null} if there is none
	 * @return the validation
	 * @throws AnnotatedMethodException if the method requires a validator but there is
	 * none
	 */
	static ValueValidation of(AnnotatedMethod<?> method, @Nullable Validator validator) {
		for (MethodParameter parameter : parameters(method.method())) {
			if (AnnotatedMethod.isHeader(parameter)) {
				continue;
			}
			for (Annotation annotation : parameter.getParameterAnnotations()) {
				Object[] hints = ValidationAnnotationUtils.determineValidationHints(annotation);
				if (hints != null && validator == null) {
					throw method.invalid(
							"has an argument to be validated, but there is no Validator bean, or there are several "
									+ "and none is primary. Add spring-boot-starter-validation, or remove @"
									+ annotation.annotationType().getSimpleName());
				}
				if (hints != null) {
					return new ValueValidation(validator, hints);
				}
			}
		}
		return NONE;
	}

	/** Returns the parameters with their annotations, including inherited annotations. */
	private static MethodParameter[] parameters(Method method) {
		return new org.springframework.core.annotation.AnnotatedMethod(method).getMethodParameters();
	}

	/**
	 * Returns a value's validation problems, see {@link MethodInvoker#problems}.
	 */
	List<String> problems(Object value) {
		if (this.validator == null) {
			return List.of();
		}
		Errors errors = new BeanPropertyBindingResult(value, "value");
		if (this.validator instanceof SmartValidator smart) {
			smart.validate(value, errors, this.hints);
		}
		else {
			this.validator.validate(value, errors);
		}
		return errors.getAllErrors()
			.stream()
			.map((error) -> ((error instanceof FieldError field) ? field.getField() : error.getObjectName()) + " ("
					+ error.getCode() + ')')
			.toList();
	}

}
