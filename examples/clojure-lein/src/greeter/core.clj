(ns greeter.core
  (:require [ring.adapter.jetty :refer [run-jetty]])
  (:gen-class))

(defn -main []
  (run-jetty (fn [_] {:status 200 :body "Hello from Clojure\n"})
             {:port (parse-long (or (System/getenv "PORT") "3000"))}))
