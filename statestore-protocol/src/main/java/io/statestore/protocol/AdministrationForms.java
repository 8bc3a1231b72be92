package io.statestore.protocol;

import java.util.Map;
import java.util.function.Function;

import io.statestore.protocol.ClusterNodeState.Role;
import io.statestore.protocol.ClusterRequest.Action;
import io.statestore.protocol.StoredChange.Operation;

import static java.util.Map.entry;

/** Schema of all administration requests, and of the items of their answers. */
final class AdministrationForms {

	static final Map<Bytes, Class<? extends AdministrationRequest>> COMMANDS = Map.of(Bytes.of("LOCKS"),
			LockQuery.class, Bytes.of("CLUSTER"), ClusterRequest.class, Bytes.of("BACKUP"), BackupQuery.class,
			Bytes.of("SESSIONS"), SessionQuery.class, Bytes.of("ENDSESSION"), SessionEnd.class, Bytes.of("HISTORY"),
			HistoryQuery.class);

	private static final Map<Class<?>, RecordForm<?>> FORMS = Map.ofEntries(
			entry(LockQuery.class,
					new RecordForm<LockQuery>((of) -> new LockQuery(of.next(), of.next(), of.next()))
						.required("pattern", Function.identity(), LockQuery::pattern)
						.option("all", LockQuery::all)
						.optional("token", RecordForm::text, LockQuery::token)),
			entry(ClusterRequest.class,
					new RecordForm<ClusterRequest>((of) -> new ClusterRequest(of.next(), of.next()))
						.required("action", RecordForm.oneOf(Action.values()), ClusterRequest::action)
						.rest(ClusterRequest::arguments)),
			entry(BackupQuery.class,
					new RecordForm<BackupQuery>((of) -> new BackupQuery(of.next())).optional("token", RecordForm::text,
							BackupQuery::token)),
			entry(SessionQuery.class,
					new RecordForm<SessionQuery>((of) -> new SessionQuery(of.next())).optional("token",
							RecordForm::text, SessionQuery::token)),
			entry(SessionEnd.class,
					new RecordForm<SessionEnd>((of) -> new SessionEnd(of.next())).required("client", RecordForm::text,
							SessionEnd::clientId)),
			entry(HistoryQuery.class,
					new RecordForm<HistoryQuery>((of) -> new HistoryQuery(of.next(), of.next(), of.next(), of.next()))
						.required("pattern", Function.identity(), HistoryQuery::pattern)
						.optional("after", RecordForm::version, HistoryQuery::after)
						.optional("content", RecordForm::version, HistoryQuery::content)
						.optional("token", RecordForm::text, HistoryQuery::token)),
			entry(StoredLock.class,
					new RecordForm<StoredLock>((of) -> new StoredLock(of.next(), of.next(), of.next(), of.next(),
							of.next(), of.next(), of.next(), of.next(), of.next()))
						.required("key", Function.identity(), StoredLock::key)
						.required("holder", Function.identity(), StoredLock::holder)
						.required("version", RecordForm::version, StoredLock::version)
						.optional("token", RecordForm::version, StoredLock::token)
						.optional("client", RecordForm::text, StoredLock::client)
						.optional("principal", RecordForm::text, StoredLock::principal)
						.optional("remaining", RecordForm::millis, StoredLock::remaining)
						.optional("successor", RecordForm::text, StoredLock::successor)
						.required("waiters", RecordForm::count, StoredLock::waiterCount)),
			entry(StoredSession.class,
					new RecordForm<StoredSession>((of) -> new StoredSession(of.next(), of.next(), of.next(), of.next(),
							of.next(), of.next(), of.next()))
						.required("client", RecordForm::text, StoredSession::client)
						.optional("principal", RecordForm::text, StoredSession::principal)
						.required("connected", RecordForm::flag, StoredSession::connected)
						.optional("remaining", RecordForm::millis, StoredSession::remaining)
						.required("subscriptions", RecordForm::count, StoredSession::subscriptionCount)
						.required("queued", RecordForm::count, StoredSession::queuedCount)
						.required("bytes", RecordForm::number, StoredSession::bytes)),
			entry(StoredChange.class,
					new RecordForm<StoredChange>(
							(of) -> new StoredChange(of.next(), of.next(), of.next(), of.next(), of.next(), of.next()))
						.required("operation", RecordForm.oneOf(Operation.values()), StoredChange::operation)
						.required("key", Function.identity(), StoredChange::key)
						.required("value", Function.identity(), StoredChange::value)
						.required("version", RecordForm::version, StoredChange::version)
						.optional("client", RecordForm::text, StoredChange::client)
						.optional("principal", RecordForm::text, StoredChange::principal)),
			entry(ClusterNodeState.class,
					new RecordForm<ClusterNodeState>((of) -> new ClusterNodeState(of.next(), of.next(), of.next(),
							of.next(), of.next(), of.next(), of.next(), of.next(), of.next(), of.next(), of.next(),
							of.next(), of.next(), of.next()))
						.optional("name", RecordForm::text, ClusterNodeState::name)
						.required("address", RecordForm::text, ClusterNodeState::address)
						.required("number", RecordForm::count, ClusterNodeState::number)
						.required("role", RecordForm.oneOf(Role.values()), ClusterNodeState::role)
						.required("term", RecordForm::number, ClusterNodeState::term)
						.optional("leader", RecordForm::text, ClusterNodeState::leader)
						.required("last-index", RecordForm::number, ClusterNodeState::lastIndex)
						.required("applied-index", RecordForm::number, ClusterNodeState::appliedIndex)
						.required("snapshot-index", RecordForm::number, ClusterNodeState::snapshotIndex)
						.optional("lag", RecordForm::number, ClusterNodeState::lag)
						.optional("last-contact", RecordForm::millis, ClusterNodeState::lastContact)
						.required("disk-full", RecordForm::flag, ClusterNodeState::diskFull)
						.required("entry-format", RecordForm::count, ClusterNodeState::entryFormat)
						.optional("failure", RecordForm::text, ClusterNodeState::failure)));

	private AdministrationForms() {
	}

	/** Returns the schema of a type. */
	@SuppressWarnings("unchecked")
	static <T> RecordForm<T> of(Class<? extends T> type) {
		RecordForm<T> form = (RecordForm<T>) FORMS.get(type);
		if (form == null) {
			throw new IllegalArgumentException("There is no form of " + type);
		}
		return form;
	}

}
