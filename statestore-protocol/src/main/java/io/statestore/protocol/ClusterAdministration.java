package io.statestore.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.statestore.protocol.ClusterNodeState.Role;
import io.statestore.protocol.ClusterRequest.Action;

/**
 * Encoder and decoder of administration requests to a cluster, and of their answers. See
 * {@link Administration} for their topics.
 * <p>
 * A request is an array of bulk strings: {@code CLUSTER}, the action, and its arguments.
 * The answer to {@code STATUS} has the form of the reply to a SCAN. In place of keys, it
 * contains arrays of names and values, one for each node. A receiver ignores unknown
 * names. Other actions are answered with {@code +OK}, or with an error whose text is for
 * people.
 */
public final class ClusterAdministration {

	/**
	 * Beginning of the text of an error that may end by itself, for example because
	 * leadership moves. The client should read the status, and repeat the request if
	 * necessary.
	 */
	public static final String NOT_YET = "not yet: ";

	static final Bytes CLUSTER = RespReader.ascii("CLUSTER");

	private static final String NAME = "name";

	private static final String ADDRESS = "address";

	private static final String NUMBER = "number";

	private static final String ROLE = "role";

	private static final String TERM = "term";

	private static final String LEADER = "leader";

	private static final String LAST_INDEX = "last-index";

	private static final String APPLIED_INDEX = "applied-index";

	private static final String SNAPSHOT_INDEX = "snapshot-index";

	private static final String LAG = "lag";

	private static final String LAST_CONTACT = "last-contact";

	private static final String DISK_FULL = "disk-full";

	private static final String ENTRY_FORMAT = "entry-format";

	private static final String FAILURE = "failure";

	private ClusterAdministration() {
	}

	/**
	 * Encodes a request.
	 * @param request the request
	 * @return the payload
	 */
	public static byte[] encode(ClusterRequest request) {
		List<Bytes> elements = new ArrayList<>(List.of(CLUSTER, Bytes.of(request.action().name())));
		request.arguments().forEach((argument) -> elements.add(Bytes.of(argument)));
		return AdministrationFormat.array(elements);
	}

	/** Decodes a request from its elements. */
	static ClusterRequest decodeRequest(List<Bytes> elements) {
		if (elements.size() < 2) {
			throw new ProtocolException(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS);
		}
		Action action = Arrays.stream(Action.values())
			.filter((candidate) -> Bytes.of(candidate.name()).equals(elements.get(1)))
			.findFirst()
			.orElseThrow(() -> new ProtocolException(ErrorReason.UNKNOWN_COMMAND));
		if (elements.size() != 2 + action.arguments()) {
			throw new ProtocolException(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS);
		}
		try {
			return new ClusterRequest(action,
					elements.subList(2, elements.size()).stream().map(AdministrationFormat::text).toList());
		}
		catch (IllegalArgumentException ex) {
			throw RespReader.syntaxError();
		}
	}

	/**
	 * Encodes the answer to a request for the state of all nodes.
	 * @param nodes the nodes
	 * @return the payload
	 */
	public static byte[] encode(List<ClusterNodeState> nodes) {
		return AdministrationFormat.page(nodes, ClusterAdministration::encode, null);
	}

	/**
	 * Encodes the state of one node.
	 * @param node the state
	 * @return an array of names and values
	 */
	public static byte[] encode(ClusterNodeState node) {
		return new Fields().with(NAME, node.name())
			.with(ADDRESS, node.address())
			.with(NUMBER, node.number())
			.with(ROLE, node.role().name())
			.with(TERM, node.term())
			.with(LEADER, node.leader())
			.with(LAST_INDEX, node.lastIndex())
			.with(APPLIED_INDEX, node.appliedIndex())
			.with(SNAPSHOT_INDEX, node.snapshotIndex())
			.with(LAG, node.lag())
			.with(LAST_CONTACT, node.lastContact())
			.with(DISK_FULL, node.diskFull() ? 1 : 0)
			.with(ENTRY_FORMAT, node.entryFormat())
			.with(FAILURE, node.failure())
			.encode();
	}

	/**
	 * Encodes the answer to a change that was made.
	 * @return the payload
	 */
	public static byte[] encodeSuccess() {
		return Replies.encode(new Reply.Ok());
	}

	/**
	 * Encodes the answer to a request that failed.
	 * @param text the reason and the next step
	 * @return the payload
	 */
	public static byte[] encodeFailure(String text) {
		return Replies.encode(new Reply.Error(ErrorReason.UNKNOWN, text.replaceAll("[\\r\\n]+", " ")));
	}

	/**
	 * Decodes the answer to a request for the state of all nodes.
	 * @param payload the payload
	 * @return the nodes
	 * @throws ProtocolException if the payload is malformed, or with the reason and text
	 * of an error answer
	 */
	public static List<ClusterNodeState> decodeNodes(Bytes payload) {
		return AdministrationFormat.decodePage(payload).keys().stream().map(ClusterAdministration::decodeNode).toList();
	}

	/**
	 * Decodes the answer to a change.
	 * @param payload the payload
	 * @throws ProtocolException if the payload is malformed, or with the reason and text
	 * of an error answer
	 */
	public static void decodeSuccess(Bytes payload) {
		if (!(AdministrationFormat.decodeReply(payload) instanceof Reply.Ok)) {
			throw RespReader.syntaxError();
		}
	}

	/**
	 * Decodes the state of one node.
	 * @param payload an array of names and values
	 * @return the state
	 * @throws ProtocolException if the payload is malformed
	 */
	public static ClusterNodeState decodeNode(Bytes payload) {
		Fields fields = new Fields(payload);
		return new ClusterNodeState(fields.text(NAME), fields.required(ADDRESS), fields.requiredInt(NUMBER),
				role(fields.required(ROLE)), fields.requiredNumber(TERM), fields.text(LEADER),
				fields.requiredNumber(LAST_INDEX), fields.requiredNumber(APPLIED_INDEX),
				fields.requiredNumber(SNAPSHOT_INDEX), fields.number(LAG), fields.millis(LAST_CONTACT),
				Objects.equals(fields.number(DISK_FULL), 1L), fields.optionalInt(ENTRY_FORMAT), fields.text(FAILURE));
	}

	private static Role role(String text) {
		return Arrays.stream(Role.values())
			.filter((role) -> role.name().equals(text))
			.findFirst()
			.orElseThrow(RespReader::syntaxError);
	}

}
