package io.statestore.test.pair;

record Right(Left left) {

}
