package io.statestore.client.annotation;

import java.util.Optional;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.GenericMessageConverter;
import org.springframework.messaging.handler.annotation.support.PayloadMethodArgumentResolver;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.validation.Validator;

/**
 * Arguments that come from the change itself. The payload of the message is the
 * {@link KeyChange}; headers are left to others.
 */
final class ChangeArgumentResolver extends PayloadMethodArgumentResolver {

	ChangeArgumentResolver(@Nullable Validator validator) {
		super(new GenericMessageConverter(), validator);
	}

	@Override
	public @Nullable Object resolveArgument(MethodParameter parameter, Message<?> message) {
		KeyChange<?> change = (KeyChange<?>) message.getPayload();
		Class<?> type = parameter.getParameterType();
		if (type == KeyChange.class) {
			if (change.value() != null) {
				validate(message, parameter, change.value());
			}
			return change;
		}
		if (type == Version.class) {
			return change.version();
		}
		if (type == Key.class) {
			return change.key();
		}
		if (type == Operation.class) {
			return change.operation();
		}
		if (Message.class.isAssignableFrom(type)) {
			return toMessage(parameter, message, change);
		}
		Object value = change.value();
		if (value != null) {
			validate(message, parameter, value);
		}
		return (type == Optional.class) ? Optional.ofNullable(value) : value;
	}

	/** The value as payload; an {@code Optional} where it may be absent. */
	private static Message<?> toMessage(MethodParameter parameter, Message<?> message, KeyChange<?> change) {
		ResolvableType payload = ResolvableType.forMethodParameter(parameter).as(Message.class).getGeneric(0);
		Object value = change.value();
		return new GenericMessage<Object>(
				(value == null || payload.resolve() == Optional.class) ? Optional.ofNullable(value) : value,
				message.getHeaders());
	}

}
