(ns build
  (:require [clojure.tools.build.api :as b]))

(def uber-file "target/greeter.jar")

(defn uber [_]
  (let [basis (b/create-basis {})]
    (b/compile-clj {:basis basis :ns-compile ['greeter.core] :class-dir "target/classes"})
    (b/uber {:class-dir "target/classes" :uber-file uber-file :basis basis :main 'greeter.core})))
