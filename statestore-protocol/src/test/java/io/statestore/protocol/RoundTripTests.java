package io.statestore.protocol;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import static org.assertj.core.api.Assertions.assertThat;

/** Encodes and decodes messages in both dialects. */
class RoundTripTests {

	@Property
	void everyCommandRoundTrips(@ForAll("commands") Command command) {
		assertThat(Commands.decode(Bytes.wrap(Commands.encode(command)))).isEqualTo(command);
	}

	@Property
	void specificationCommandsRoundTrip(@ForAll("commands") Command command, @ForAll("expected") Bytes expected) {
		Command sent = (command instanceof Command.Set set && set.condition() == Command.Condition.IF_ABSENT_OR_EQUAL)
				? new Command.Set(set.key(), set.value(), set.condition(), set.expiry(), expected) : command;
		assertThat(Commands.decode(Bytes.wrap(Commands.encode(sent)), ProtocolDialect.SPECIFICATION)).isEqualTo(sent);
	}

	@Property
	void everyReplyRoundTrips(@ForAll("replies") Reply reply, @ForAll ProtocolDialect form) {
		assertThat(Replies.decode(Bytes.wrap(Replies.encode(reply, form)))).isEqualTo(reply);
	}

	@Property
	void everyNotificationRoundTrips(@ForAll("notifications") Notification notification, @ForAll ProtocolDialect form) {
		assertThat(Notifications.decode(Bytes.wrap(Notifications.encode(notification, form)))).isEqualTo(notification);
	}

	@Provide
	Arbitrary<Command> commands() {
		return Generators.commands();
	}

	@Provide
	Arbitrary<Bytes> expected() {
		return Generators.bytes();
	}

	@Provide
	Arbitrary<Reply> replies() {
		return Generators.replies();
	}

	@Provide
	Arbitrary<Notification> notifications() {
		return Generators.notifications();
	}

}
