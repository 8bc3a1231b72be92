package io.statestore.protocol;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import io.statestore.protocol.ClusterNodeState.Role;
import io.statestore.protocol.ClusterRequest.Action;
import io.statestore.protocol.StoredChange.Operation;

import static io.statestore.protocol.RecordForm.Kind.FLAG;
import static io.statestore.protocol.RecordForm.Kind.OPTIONAL;
import static io.statestore.protocol.RecordForm.Kind.REQUIRED;
import static io.statestore.protocol.RecordForm.Kind.REST;
import static java.util.Map.entry;

/** Schemas of all administration requests and of the items in their answers. */
final class AdministrationForms {

	static final Map<Bytes, Class<? extends AdministrationRequest>> COMMANDS = Map.of(Bytes.of("LOCKS"),
			LockQuery.class, Bytes.of("CLUSTER"), ClusterRequest.class, Bytes.of("BACKUP"), BackupQuery.class,
			Bytes.of("CLIENTS"), ClientQuery.class, Bytes.of("SESSIONS"), SessionQuery.class, Bytes.of("ENDSESSION"),
			SessionEnd.class, Bytes.of("HISTORY"), HistoryQuery.class);

	private static final Map<Class<?>, RecordForm<?>> FORMS = Map.ofEntries(
			entry(LockQuery.class,
					new RecordForm<LockQuery>((of) -> new LockQuery(of.next(), of.next(), of.next()))
						.with(REQUIRED, "pattern", Function.identity(), LockQuery::pattern)
						.with(FLAG, "all", RecordForm::flag, LockQuery::all)
						.with(OPTIONAL, "token", RecordForm::text, LockQuery::token)),
			entry(ClusterRequest.class,
					new RecordForm<ClusterRequest>((of) -> new ClusterRequest(of.next(), of.next()))
						.with(REQUIRED, "action", RecordForm.oneOf(Action.values(), Action::name),
								ClusterRequest::action)
						.with(REST, "arguments", RecordForm::text, ClusterRequest::arguments)),
			entry(BackupQuery.class,
					new RecordForm<BackupQuery>((of) -> new BackupQuery(of.next())).with(OPTIONAL, "token",
							RecordForm::text, BackupQuery::token)),
			entry(ClientQuery.class,
					new RecordForm<ClientQuery>((of) -> new ClientQuery(of.next())).with(OPTIONAL, "token",
							RecordForm::text, ClientQuery::token)),
			entry(SessionQuery.class,
					new RecordForm<SessionQuery>((of) -> new SessionQuery(of.next())).with(OPTIONAL, "token",
							RecordForm::text, SessionQuery::token)),
			entry(SessionEnd.class,
					new RecordForm<SessionEnd>((of) -> new SessionEnd(of.next())).with(REQUIRED, "client",
							RecordForm::text, SessionEnd::clientId)),
			entry(HistoryQuery.class,
					new RecordForm<HistoryQuery>(
							(of) -> new HistoryQuery(of.next(), of.next(), of.next(), of.next(), of.next()))
						.with(REQUIRED, "pattern", Function.identity(), HistoryQuery::pattern)
						.with(OPTIONAL, "after", RecordForm::version, HistoryQuery::after)
						.with(OPTIONAL, "content", RecordForm::version, HistoryQuery::content)
						.with(FLAG, "latest", RecordForm::flag, HistoryQuery::latest)
						.with(OPTIONAL, "token", RecordForm::text, HistoryQuery::token)),
			entry(StoredLock.class,
					new RecordForm<StoredLock>((of) -> new StoredLock(of.next(), of.next(), of.next(), of.next(),
							of.next(), of.next(), of.next(), of.next(), Objects.requireNonNullElse(of.next(), 0)))
						.with(REQUIRED, "key", Function.identity(), StoredLock::key)
						.with(REQUIRED, "holder", Function.identity(), StoredLock::holder)
						.with(REQUIRED, "version", RecordForm::version, StoredLock::version)
						.with(OPTIONAL, "token", RecordForm::version, StoredLock::token)
						.with(OPTIONAL, "client", RecordForm::text, StoredLock::client)
						.with(OPTIONAL, "principal", RecordForm::text, StoredLock::principal)
						.with(OPTIONAL, "remaining", RecordForm::millis, StoredLock::remaining)
						.with(OPTIONAL, "successor", RecordForm::text, StoredLock::successor)
						.with(OPTIONAL, "waiters", RecordForm::count, StoredLock::waiterCount)),
			entry(ConnectedClient.class,
					new RecordForm<ConnectedClient>(
							(of) -> new ConnectedClient(of.next(), of.next(), of.next(), of.next()))
						.with(REQUIRED, "client", RecordForm::text, ConnectedClient::client)
						.with(OPTIONAL, "principal", RecordForm::text, ConnectedClient::principal)
						.with(OPTIONAL, "address", RecordForm::text, ConnectedClient::address)
						.with(REQUIRED, "connected", RecordForm::millis, ConnectedClient::connected)),
			entry(StoredSession.class,
					new RecordForm<StoredSession>((of) -> new StoredSession(of.next(), of.next(), of.next(), of.next(),
							of.next(), of.next(), of.next()))
						.with(REQUIRED, "client", RecordForm::text, StoredSession::client)
						.with(OPTIONAL, "principal", RecordForm::text, StoredSession::principal)
						.with(REQUIRED, "connected", RecordForm::flag, StoredSession::connected)
						.with(OPTIONAL, "remaining", RecordForm::millis, StoredSession::remaining)
						.with(REQUIRED, "subscriptions", RecordForm::count, StoredSession::subscriptionCount)
						.with(REQUIRED, "queued", RecordForm::count, StoredSession::queuedCount)
						.with(REQUIRED, "bytes", RecordForm::number, StoredSession::bytes)),
			entry(StoredChange.class,
					new RecordForm<StoredChange>(
							(of) -> new StoredChange(of.next(), of.next(), of.next(), of.next(), of.next(), of.next()))
						.with(REQUIRED, "operation", RecordForm.oneOf(Operation.values(), AdministrationForms::name),
								(change) -> name(change.operation()))
						.with(REQUIRED, "key", Function.identity(), StoredChange::key)
						.with(REQUIRED, "value", Function.identity(), StoredChange::value)
						.with(REQUIRED, "version", RecordForm::version, StoredChange::version)
						.with(OPTIONAL, "client", RecordForm::text, StoredChange::client)
						.with(OPTIONAL, "principal", RecordForm::text, StoredChange::principal)),
			entry(ClusterNodeState.class,
					new RecordForm<ClusterNodeState>((of) -> new ClusterNodeState(of.next(), of.next(), of.next(),
							of.next(), of.next(), of.next(), of.next(), of.next(), of.next(), of.next(), of.next(),
							Objects.requireNonNullElse(of.next(), false), Objects.requireNonNullElse(of.next(), 0),
							of.next()))
						.with(OPTIONAL, "name", RecordForm::text, ClusterNodeState::name)
						.with(REQUIRED, "address", RecordForm::text, ClusterNodeState::address)
						.with(REQUIRED, "number", RecordForm::count, ClusterNodeState::number)
						.with(REQUIRED, "role", RecordForm.oneOf(Role.values(), Role::name), ClusterNodeState::role)
						.with(REQUIRED, "term", RecordForm::number, ClusterNodeState::term)
						.with(OPTIONAL, "leader", RecordForm::text, ClusterNodeState::leader)
						.with(REQUIRED, "last-index", RecordForm::number, ClusterNodeState::lastIndex)
						.with(REQUIRED, "applied-index", RecordForm::number, ClusterNodeState::appliedIndex)
						.with(REQUIRED, "snapshot-index", RecordForm::number, ClusterNodeState::snapshotIndex)
						.with(OPTIONAL, "lag", RecordForm::number, ClusterNodeState::lag)
						.with(OPTIONAL, "last-contact", RecordForm::millis, ClusterNodeState::lastContact)
						.with(OPTIONAL, "disk-full", RecordForm::flag, ClusterNodeState::diskFull)
						.with(OPTIONAL, "entry-format", RecordForm::count, ClusterNodeState::entryFormat)
						.with(OPTIONAL, "failure", RecordForm::text, ClusterNodeState::failure)));

	private AdministrationForms() {
	}

	private static String name(Operation operation) {
		return operation.name().toLowerCase(Locale.ROOT);
	}

	/** Returns the schema for a type. */
	@SuppressWarnings("unchecked")
	static <T> RecordForm<T> of(Class<? extends T> type) {
		RecordForm<T> form = (RecordForm<T>) FORMS.get(type);
		if (form == null) {
			throw new IllegalArgumentException("There is no form of " + type);
		}
		return form;
	}

}
