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
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.support.GenericMessage;

/**
 * Resolves arguments that are not headers, from a message whose payload is a
 * {@link KeyChange}.
 */
final class ChangeArgumentResolver implements HandlerMethodArgumentResolver {

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return true;
	}

	@Override
	public @Nullable Object resolveArgument(MethodParameter parameter, Message<?> message) {
		KeyChange<?> change = (KeyChange<?>) message.getPayload();
		Class<?> type = parameter.getParameterType();
		if (type == KeyChange.class) {
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
		return (type == Optional.class) ? Optional.ofNullable(change.value()) : change.value();
	}

	/**
	 * Returns a message with the value as payload. The payload is an {@code Optional} if
	 * the method declares it that way, or if there is no value.
	 */
	private static Message<?> toMessage(MethodParameter parameter, Message<?> message, KeyChange<?> change) {
		ResolvableType payload = ResolvableType.forMethodParameter(parameter).as(Message.class).getGeneric(0);
		Object value = change.value();
		return new GenericMessage<Object>(
				(value == null || payload.resolve() == Optional.class) ? Optional.ofNullable(value) : value,
				message.getHeaders());
	}

}
