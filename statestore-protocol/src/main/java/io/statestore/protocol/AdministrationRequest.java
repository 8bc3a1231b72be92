package io.statestore.protocol;

/** A request from an administrator. {@link Administration} encodes and decodes it. */
public sealed interface AdministrationRequest
		permits LockQuery, ClusterRequest, ClientQuery, SessionQuery, SessionEnd, BackupQuery, HistoryQuery {

}
