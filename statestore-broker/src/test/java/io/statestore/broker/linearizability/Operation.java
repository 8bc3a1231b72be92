package io.statestore.broker.linearizability;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A GET, SET, REPLACE, INCRBY, DEL, or VDEL, as seen by its client.
 *
 * @param client client id
 * @param command the command
 * @param token the command's fencing token, or {@code null} if it had none
 * @param invoked time before the command was first sent, on one clock for all clients
 * @param returned time after its reply arrived. Without a reply, the latest time at which
 * the command may take effect, which is {@link #NEVER} if there is no limit
 * @param reply the reply, or {@code null} if there was none: the command may or may not
 * take effect
 * @param version version in the reply, or {@code null} if there was none
 */
public record Operation(String client, Command command, @Nullable Version token, long invoked, long returned,
		@Nullable Reply reply, @Nullable Version version) {

	/** Later than every reply. */
	public static final long NEVER = Long.MAX_VALUE;

	/**
	 * Returns the key in the command.
	 * @return the key
	 */
	public Bytes key() {
		return (this.command instanceof Command.Get get) ? get.key() : ((Command.Write) this.command).key();
	}

	/**
	 * Returns the command if it stores a value.
	 * @return the command, or {@code null} if it is neither a SET nor a REPLACE
	 */
	public Command.@Nullable Set set() {
		return (this.command instanceof Command.Set set) ? set : null;
	}

	/**
	 * Returns the value that the command has stored.
	 * @return the value, or {@code null} if it has stored none
	 */
	public @Nullable Bytes storedValue() {
		if (!hasChanged()) {
			return null;
		}
		if (this.command instanceof Command.Increment && this.reply instanceof Reply.Count sum) {
			return Bytes.of(Long.toString(sum.number()));
		}
		return (this.command instanceof Command.Set set) ? set.value() : null;
	}

	/**
	 * Returns whether the outcome is known.
	 * @return whether the operation has ended
	 */
	public boolean hasEnded() {
		return this.reply != null;
	}

	/**
	 * Returns whether a reply confirms that the command changed its key.
	 * @return whether it changed the key
	 */
	public boolean hasChanged() {
		return this.command instanceof Command.Write
				&& (this.reply instanceof Reply.Ok || new Reply.Count(1).equals(this.reply)
						|| (this.command instanceof Command.Increment && this.reply instanceof Reply.Count));
	}

	/**
	 * Returns a copy with an outcome that became known other than through a reply.
	 * @param reply the outcome as a reply
	 * @param version version of the change
	 * @param returned time at which the outcome was known
	 * @return the completed operation
	 */
	public Operation completed(Reply reply, Version version, long returned) {
		return new Operation(this.client, this.command, this.token, this.invoked, returned, reply, version);
	}

	@Override
	public String toString() {
		return "%s %s%s -> %s%s [%d, %s]".formatted(this.client, text(this.command),
				(this.token != null) ? " token " + this.token : "", (this.reply != null) ? text(this.reply) : "?",
				(this.version != null) ? " @" + this.version : "", this.invoked,
				(this.returned != NEVER) ? this.returned : "never");
	}

	private static String text(Command command) {
		if (command instanceof Command.Set set) {
			return "SET " + set.key().toUtf8() + '=' + set.value().toUtf8() + ' ' + set.condition()
					+ ((set.expected() != null) ? " @" + set.expected().toUtf8() : "")
					+ ((set.expiry() != null) ? " PX " + set.expiry().toMillis() : "");
		}
		if (command instanceof Command.Increment increment) {
			return "INCRBY " + increment.key().toUtf8() + ' ' + increment.delta();
		}
		if (command instanceof Command.VDel vdel) {
			return "VDEL " + vdel.key().toUtf8() + '=' + vdel.value().toUtf8();
		}
		if (command instanceof Command.Del del) {
			return "DEL " + del.key().toUtf8();
		}
		return (command instanceof Command.Get get) ? "GET " + get.key().toUtf8() : command.toString();
	}

	private static String text(Reply reply) {
		return (reply instanceof Reply.Value value) ? value.value().toUtf8() : reply.toString();
	}

}
