package io.statestore.dafka.spring;

import java.util.List;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.support.GenericMessage;

/**
 * Resolver for arguments that are not headers. The payload of the message is
 * {@link Arguments}.
 */
final class RecordArgumentResolver implements HandlerMethodArgumentResolver {

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return true;
	}

	@Override
	public Object resolveArgument(MethodParameter parameter, Message<?> message) {
		Arguments arguments = (Arguments) message.getPayload();
		if (arguments.batch()) {
			boolean records = ResolvableType.forMethodParameter(parameter).getGeneric(0).resolve() == DafkaRecord.class;
			return arguments.records().stream().map((one) -> records ? one.record() : one.value()).toList();
		}
		Converted one = arguments.records().get(0);
		DafkaRecord record = one.record();
		Class<?> type = parameter.getParameterType();
		if (type == DafkaRecord.class) {
			return record;
		}
		if (type == Position.class) {
			return new Position(record.topic(), record.partition(), record.offset());
		}
		if (type == TopicPartition.class) {
			return new TopicPartition(record.topic(), record.partition());
		}
		return (type == Message.class) ? new GenericMessage<>(one.value(), message.getHeaders()) : one.value();
	}

	/**
	 * Records of a call.
	 *
	 * @param records the records, a single one unless {@code batch}
	 * @param batch whether the method accepts lists
	 */
	record Arguments(List<Converted> records, boolean batch) {
	}

	/**
	 * A record and its value.
	 *
	 * @param record the record
	 * @param value the converted content
	 */
	record Converted(DafkaRecord record, Object value) {
	}

}
