package io.statestore.broker.server;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.statestore.broker.engine.Answer;
import io.statestore.protocol.BackupQuery;
import io.statestore.protocol.ClusterAdministration;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.WireForm;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers GET and SCAN from the copy of the store on one node of a cluster. The answers
 * may be outdated, because no other node is asked. All other requests are refused.
 * <p>
 * Safe for use by several threads. Requests of one connection are answered in the order
 * of the calls. A request gets no reply, and is acknowledged with a reason code of 0x80
 * or above, if it cannot be answered, or if this node has no state to read: it has
 * received none since its start, is replacing it by a snapshot, or has not caught up with
 * the leader since its start.
 */
public final class StaleReads {

	/**
	 * User property of a reply: upper bound of the age of the copy, in milliseconds. The
	 * answer contains all writes that were acknowledged before. Absent if it is unknown.
	 */
	public static final String AGE = "age-ms";

	private static final Answer REFUSED = new Answer(new Reply.Error(ErrorReason.UNKNOWN,
			"this port serves stale reads only (GET and SCAN); use the normal port of any node"), null);

	private static final Logger logger = LoggerFactory.getLogger(StaleReads.class);

	private final Replica replica;

	private final SerialExecutor serial;

	private final StateStoreServerCounters counters;

	private final Supplier<CopyAge> age;

	private final LongSupplier nanoClock;

	private final KeyAccess access = new KeyAccess();

	private final RequestCheck check;

	private final WireForm wireForm;

	private final Messages messages;

	/**
	 * Creates an object.
	 * @param replica the copy of the store
	 * @param serial its serial executor
	 * @param counters its counters
	 * @param age returns the age of the copy
	 */
	StaleReads(Replica replica, SerialExecutor serial, StateStoreServerOptions options,
			StateStoreServerCounters counters, Supplier<CopyAge> age) {
		this.replica = replica;
		this.serial = serial;
		this.counters = counters;
		this.age = age;
		this.nanoClock = options.nanoClock();
		this.check = new RequestCheck(counters);
		this.wireForm = options.wireForm();
		this.messages = new Messages(this.wireForm);
	}

	/**
	 * Handles a request.
	 * @param request the message that a client published to the request topic
	 */
	public void request(IncomingRequest request) {
		Call call = Call.of(request, this.wireForm);
		this.counters.countRequest(call);
		handle(request, (call != null) ? this.access.check(call) : null, this::answer);
	}

	/**
	 * Handles a request for a backup, which saves the data if a majority is lost. Refuses
	 * all other administration requests.
	 * @param request the message that a client published to the topic of administration
	 * @param authorized whether the client may administer the node
	 */
	public void administer(IncomingRequest request, boolean authorized) {
		AdministrationCall call = AdministrationCall.of(request, authorized);
		if (call != null && call.query() instanceof BackupQuery query) {
			this.serial.execute(() -> AdministrationHandler.send(call, page(request.connection(), query)));
		}
		else {
			handle(request, Call.of(request, this.wireForm), (refused, age) -> REFUSED);
		}
	}

	private byte[] page(ClientConnection connection, BackupQuery query) {
		Backups backups = this.age.get().readable() ? this.replica.backups() : null;
		return (backups != null) ? backups.page(connection, query) : ClusterAdministration
			.encodeFailure(ClusterAdministration.NOT_YET + "the node has not caught up since its start");
	}

	/**
	 * Ends the backup of a client, if it reads one.
	 * @param connection the connection, which has ended
	 */
	public void disconnected(ClientConnection connection) {
		this.serial.execute(() -> {
			Backups backups = this.replica.backups();
			if (backups != null) {
				backups.disconnected(connection);
			}
		});
	}

	private void handle(IncomingRequest request, @Nullable Call call,
			BiFunction<Call, CopyAge, @Nullable Answer> answers) {
		long arrival = this.nanoClock.getAsLong();
		this.serial.execute(() -> {
			int reasonCode = ReasonCodes.UNSPECIFIED;
			try {
				reasonCode = handle(request, call, answers, this.nanoClock.getAsLong() - arrival);
			}
			catch (RuntimeException ex) {
				logger.error("A stale read failed", ex);
			}
			RequestHandler.acknowledge(request, reasonCode);
		}, () -> Call.isScan(call));
	}

	/** Replies if possible, and returns the reason code of the acknowledgment. */
	private int handle(IncomingRequest request, @Nullable Call call,
			BiFunction<Call, CopyAge, @Nullable Answer> answers, long waited) {
		int reasonCode = this.check.check(request, call != null, waited);
		if (reasonCode != ReasonCodes.SUCCESS || call == null) {
			return reasonCode;
		}
		// Before reading: if the copy catches up meanwhile, the answer lacks that.
		CopyAge age = this.age.get();
		Answer answer = answers.apply(call, age);
		if (answer == null) {
			return this.check.failed(request, ReasonCodes.IMPLEMENTATION_SPECIFIC,
					"this node has not caught up with the leader since its start, or has no state to read");
		}
		if (answer.reply() instanceof Reply.Error error) {
			this.counters.countRefusal(error.reason());
		}
		Messages.send(request.connection(), withAge(this.messages.message(call, answer), age));
		return ReasonCodes.SUCCESS;
	}

	private @Nullable Answer answer(Call call, CopyAge age) {
		Command command = call.command();
		if (command == null) {
			return Answer.refused(call.error());
		}
		if (!(command instanceof Command.Get || command instanceof Command.Scan)) {
			return REFUSED;
		}
		return age.readable() ? this.replica.read(command, this.access.readable(call.request().connection())) : null;
	}

	private static OutgoingMessage withAge(OutgoingMessage message, CopyAge age) {
		Long millis = age.limitMillis();
		if (millis == null) {
			return message;
		}
		List<UserProperty> properties = new ArrayList<>(message.userProperties());
		properties.add(new UserProperty(AGE, millis.toString()));
		return new OutgoingMessage(message.kind(), message.topic(), message.payload(), message.correlationData(),
				List.copyOf(properties));
	}

	/**
	 * Returns the number of requests that were denied because the permissions of the
	 * client do not include them.
	 * @return the number since the start
	 */
	public long deniedRequests() {
		return this.access.denials();
	}

}
